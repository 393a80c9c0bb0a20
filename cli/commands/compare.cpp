// paceline compare: the points of a sweep, ranked, with what cannot be told apart.
#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

#include "answers/compare/ranking.h"
#include "answers/compare/reasons.h"
#include "cli/experiment_flags.h"
#include "cli/html_file.h"
#include "cli/infeasible.h"
#include "cli/output.h"
#include "cli/run_sweep.h"
#include "core/json_writer.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostRows = 1'000'000;
constexpr std::size_t kRowsOfAScreen = 20;
constexpr std::size_t kMostWarnings = 5;
constexpr std::size_t kMostReasons = 4;

RankBy read_order(const Arguments& arguments, const PriceList* prices) {
  const std::string by = arguments.text_or("by", "throughput");
  if (by == "throughput") return RankBy::kThroughput;
  if (by != "price") throw UsageError("--by \"" + by + "\" is not throughput or price");
  if (prices == nullptr) throw UsageError("--by price needs --prices FILE");
  return RankBy::kSamplesPerMoney;
}

// Without its numbers and names with one, in which a warning of one point differs from the same of
// another: "# tcp connections carry # GB/s of the # GB/s of #".
std::string without_numbers(const std::string& warning) {
  std::istringstream words(warning);
  std::string out;
  for (std::string word; words >> word;) {
    const bool number = std::ranges::any_of(word, [](char c) { return '0' <= c && c <= '9'; });
    out += (number ? "#" : word) + " ";
  }
  return out;
}

// Of several points, that differ in numbers alone.
struct AlikeWarnings {
  std::string first;
  std::size_t points = 0;
  bool differ = false;
};

// Each kind of warning once, those of most points first; of them those that tell points apart.
std::vector<AlikeWarnings> alike_warnings(const std::vector<Report>& reports) {
  std::vector<AlikeWarnings> kinds;
  std::map<std::string, std::size_t> patterns;                // numbered as they come
  std::unordered_map<std::string_view, std::size_t> of_text;  // the pattern of each warning
  std::map<std::pair<std::size_t, std::ptrdiff_t>, std::size_t> known;  // and its place in a report
  std::vector<std::size_t> said;
  for (const Report& report : reports) {
    said.clear();
    for (const std::string& warning : report.warnings) {
      const auto [text, is_new] = of_text.try_emplace(warning);
      if (is_new) {
        text->second =
            patterns.try_emplace(without_numbers(warning), patterns.size()).first->second;
      }
      const std::size_t pattern = text->second;
      const auto [at, added] =
          known.try_emplace({pattern, std::ranges::count(said, pattern)}, kinds.size());
      said.push_back(pattern);
      if (added) kinds.push_back({.first = warning});
      AlikeWarnings& kind = kinds[at->second];
      ++kind.points;
      kind.differ = kind.differ || warning != kind.first;
    }
  }
  std::ranges::stable_sort(kinds, std::ranges::greater(), [](const AlikeWarnings& kind) {
    return std::pair(kind.points, kind.differ);
  });
  return kinds;
}

std::string warnings_text(const std::vector<Report>& reports) {
  const std::vector<AlikeWarnings> kinds = alike_warnings(reports);
  std::string out;
  for (std::size_t i = 0; i < kinds.size() && i < kMostWarnings; ++i) {
    const AlikeWarnings& kind = kinds[i];
    std::string points;
    if (kind.differ || kind.points < reports.size()) {
      points = " (" + std::to_string(kind.points) + " of " + std::to_string(reports.size()) +
               " points" + (kind.differ ? ", with other numbers" : "") + ")";
    }
    out += "warning" + points + ": " + kind.first + "\n";
  }
  if (kinds.size() > kMostWarnings) {
    out += "and " + std::to_string(kinds.size() - kMostWarnings) +
           " more warnings (--json lists all)\n";
  }
  return out;
}

// The best ones, with what the table does not say.
std::string screen(const Arguments& arguments, const Sweep& sweep, std::vector<RankedPoint> ranking,
                   const PriceList* prices) {
  const auto limit = static_cast<std::size_t>(
      arguments.count_or("top", static_cast<std::int64_t>(kRowsOfAScreen), kMostRows));
  const std::size_t all = ranking.size();
  if (ranking.size() > limit) ranking.resize(limit);
  std::string out = ranking_table(sweep.reports, ranking, prices).to_string();
  if (all > limit) out += "and " + std::to_string(all - limit) + " more (--top N shows them)\n";
  bool tied = false;
  for (const RankedPoint& point : ranking) tied = tied || point.tied;
  if (tied) {
    out += "= cannot be told apart: the 90 % intervals overlap\n";
  }
  if (sweep.in_closed_form > 0) {
    out += std::to_string(sweep.in_closed_form) +
           " points in closed form, held against the simulation at some of their clusters\n";
  }
  if (prices != nullptr) {
    out += "prices of " + prices->date() + ", " + prices->source() + "\n";
  }
  for (const std::string& reason : reasons(sweep.reports, ranking, kMostReasons)) {
    out += "why: " + reason + "\n";
  }
  return out + warnings_text(sweep.reports);
}

std::string json(const std::vector<Report>& reports, const std::vector<RankedPoint>& ranking,
                 const PriceList* prices) {
  JsonListText list;
  const std::vector<nlohmann::ordered_json> comparison = comparison_json(ranking, prices);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    nlohmann::ordered_json entry = to_json(reports[i]);
    entry["comparison"] = comparison[i];
    list.add(entry);
  }
  return std::move(list).take();
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  std::optional<PriceList> list;
  if (arguments.has("prices")) list = PriceList::read(arguments.text("prices"));
  const PriceList* prices = list ? &*list : nullptr;
  const RankBy by = read_order(arguments, prices);
  SweepResult sweep = run_sweep(arguments);
  const std::vector<Report>& reports = sweep.reports;
  const std::vector<RankedPoint> ranking = rank_points(reports, by, prices);
  if (arguments.has("html")) write_html(arguments, sweep);
  switch (format) {
    case OutputFormat::kJson:
      write_result(arguments, json(reports, ranking, prices));
      break;
    case OutputFormat::kText:
      write_result(arguments, screen(arguments, sweep, ranking, prices));
      break;
    default:
      write_result(arguments,
                   ranking_table(reports, ranking, prices).to_string(table_format(format)));
  }
  sweep.skipped.print(std::cerr);
  return check_memory(reports, std::cerr);
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = experiment_flags();
  all.push_back({"prices", "FILE", "what an hour of each device costs, with a date"});
  all.push_back({"by", "throughput|price", "what to rank by, default throughput"});
  all.push_back({"top", "N", "how many rows to show, default 20"});
  all.push_back(html_flag());
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_compare(CommandList& commands) {
  commands.add({.name = "compare",
                .summary = "several experiments side by side, ranked",
                .example = "paceline compare --model alexnet,resnet50 --batch 8-32*2 --device cpu",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline
