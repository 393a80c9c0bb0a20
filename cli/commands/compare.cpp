// paceline compare: the points of a sweep, ranked, with what cannot be told apart.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

#include "answers/compare/connected_networks.h"
#include "answers/compare/ranking.h"
#include "answers/compare/reasons.h"
#include "cli/experiment_flags.h"
#include "cli/first_screen.h"
#include "cli/html_file.h"
#include "cli/infeasible.h"
#include "cli/output.h"
#include "cli/run_sweep.h"
#include "core/json_writer.h"
#include "core/screen_text.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostRows = 1'000'000;
constexpr std::size_t kRowsBelowTheTable = 9;  // of reasons and warnings, at least
constexpr std::size_t kRowsOfWarnings = 4;     // of them
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

std::size_t rows_of(const std::vector<std::string>& lines) {
  return screen_rows(first_lines(lines, SIZE_MAX, "", ""));
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

std::vector<std::string> warning_lines(const std::vector<Report>& reports, std::size_t most) {
  std::vector<std::string> out;
  for (const AlikeWarnings& kind : alike_warnings(reports)) {
    std::string points;
    if (kind.differ || kind.points < reports.size()) {
      points = " (" + std::to_string(kind.points) + " of " + std::to_string(reports.size()) +
               " points" + (kind.differ ? ", with other numbers" : "") + ")";
    }
    out.push_back("warning" + points + ": " + kind.first);
  }
  if (out.size() > most) {
    const std::size_t more = out.size() - most;
    out.resize(most);
    out.push_back("and " + std::to_string(more) + " more warnings (--json lists all)");
  }
  return out;
}

std::vector<std::string> reason_lines(const std::vector<Report>& reports,
                                      const std::vector<RankedPoint>& ranking, std::size_t most) {
  std::vector<std::string> out;
  for (const std::string& reason : reasons(reports, ranking, most)) out.push_back("why: " + reason);
  return out;
}

// What is below the table, whatever it shows.
std::string notes_text(const Sweep& sweep, const std::vector<RankedPoint>& ranking,
                       const PriceList* prices) {
  std::string out;
  if (std::ranges::any_of(ranking, &RankedPoint::tied)) {
    out +=
        "= cannot be told apart from the first of the rank: the 90 % interval of the ratio holds "
        "1\n";
  }
  if (sweep.in_closed_form > 0) {
    out += std::to_string(sweep.in_closed_form) +
           " points in closed form, held against the simulation at some of their clusters\n";
  }
  for (const std::string& alike : networks_alike(sweep.reports)) out += "note: " + alike + "\n";
  if (prices != nullptr) out += "prices of " + prices->date() + ", " + prices->source() + "\n";
  return out;
}

Table without_column(const Table& table, const std::string& name) {
  const auto& header = table.header();
  const auto at = static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
  const auto kept = [&](std::vector<std::string> cells) {
    if (at < cells.size()) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(at));
    return cells;
  };
  Table out(kept(header));
  for (const std::vector<std::string>& row : table.rows()) out.add_row(kept(row));
  return out;
}

// With as many of its columns as a terminal is wide: --all and `paceline memory` have the others.
std::string table_text(const Sweep& sweep, const std::vector<RankedPoint>& ranking,
                       const PriceList* prices, bool all) {
  Table table = ranking_table(sweep.reports, ranking, prices);
  std::string text = table.to_string();
  for (const char* column : {"spare", "largest batch", "memory"}) {
    if (all || screen_rows(text) == table.row_count() + 1) break;
    table = without_column(table, column);
    text = table.to_string();
  }
  return text;
}

// The best ones, with what the table does not say.
std::string screen(const Arguments& arguments, const Sweep& sweep, std::vector<RankedPoint> ranking,
                   const PriceList* prices) {
  constexpr std::size_t kNoLimit = kMostRows;
  const bool all = wants_all(arguments);
  const std::size_t points = ranking.size();
  const auto limit = static_cast<std::size_t>(
      arguments.count_or("top", static_cast<std::int64_t>(kNoLimit), kMostRows));
  if (points > limit) ranking.resize(limit);
  const std::string notes = notes_text(sweep, ranking, prices);
  const std::vector<std::string> why =
      reason_lines(sweep.reports, ranking, all ? kNoLimit : kMostReasons);
  const std::vector<std::string> warnings =
      warning_lines(sweep.reports, all ? kNoLimit : kMostWarnings);
  const std::string table = table_text(sweep, ranking, prices, all);
  std::string out = table;
  if (all) {
    out += notes + first_lines(why, kNoLimit, "", "") + first_lines(warnings, kNoLimit, "", "");
    return out;
  }
  const std::size_t rest = kScreenRows - screen_rows(notes);
  const std::size_t below = std::min(rows_of(why) + rows_of(warnings), kRowsBelowTheTable);
  if (arguments.has("top")) {
    if (points > limit) {
      out += "and " + std::to_string(points - limit) + " more (--top N shows them)\n";
    }
  } else {
    out = first_lines(lines_of(table), rest - below, "", "more (--top N shows them)");
  }
  const std::size_t left = std::max(below, rest - std::min(rest, screen_rows(out)));
  const std::size_t for_warnings = std::min(rows_of(warnings), kRowsOfWarnings);
  const std::string because =
      first_lines(why, left - std::min(left, for_warnings), "", "more reasons (--all lists them)");
  return out + notes + because +
         first_lines(warnings, left - std::min(left, screen_rows(because)), "",
                     "more warnings (--all lists them)");
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
  wants_all(arguments);  // refuses it with a format before anything is computed
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
  all.push_back(all_flag("every row, column, reason and warning"));
  all.push_back({"by", "throughput|price", "what to rank by, default throughput"});
  all.push_back({"top", "N", "how many rows to show, default a screen of them"});
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
