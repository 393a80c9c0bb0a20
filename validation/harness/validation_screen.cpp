#include "validation/harness/validation_screen.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sstream>

#include "core/screen_text.h"
#include "core/table.h"
#include "core/units_text.h"
#include "validation/harness/milliseconds.h"
#include "validation/harness/verdict.h"

namespace paceline {
namespace {

constexpr std::size_t kNameColumns = 38;
constexpr std::size_t kShortestName = 8;
constexpr std::size_t kMostSetsWithCases = 3;
constexpr std::size_t kRowsOfRemarks = 8;  // of a first screen
constexpr const char* kRest = "more lines (--all shows them)";

// The beginning and the end of a name that is too long.
std::string shortened(const std::string& name, std::size_t columns) {
  if (name.size() <= columns) return name;
  const std::size_t end = (columns - 2) / 2;
  return name.substr(0, columns - 2 - end) + ".." + name.substr(name.size() - end);
}

std::string share_cell(double share, bool with_sign) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, with_sign ? "%+.1f" : "%.1f", 100 * share);
  return buffer;
}

std::string phase_error(Seconds predicted, Seconds measured) {
  if (!(measured > Seconds(0))) return "-";
  return share_cell(relative_error(predicted.si(), measured.si()), true);
}

bool has_phases(const ScoredCase& c) {
  const PhaseTimes& m = c.measured_phases;
  return m.forward > Seconds(0) || m.backward > Seconds(0) || m.optimizer > Seconds(0);
}

// Phases and whether cases count have columns where there is something to say of them.
Table cases(const Validation& validation) {
  const bool phases = std::ranges::any_of(validation.cases, has_phases);
  const bool in_sample = std::ranges::any_of(validation.cases, &ScoredCase::in_sample);
  std::vector<std::string> header = {"case", "measured", "predicted", "p05", "p95", "error %"};
  if (phases) header.insert(header.end(), {"forward", "backward", "optimizer"});
  if (in_sample) header.emplace_back("counts");
  Table table(header);
  for (const ScoredCase& c : validation.cases) {
    std::vector<std::string> cells = {shortened(c.name, kNameColumns), milliseconds(c.measured_s),
                                      milliseconds(c.predicted_s),     milliseconds(c.p05_s),
                                      milliseconds(c.p95_s),           share_cell(c.error, true)};
    if (phases) {
      cells.push_back(phase_error(c.predicted_phases.forward, c.measured_phases.forward));
      cells.push_back(phase_error(c.predicted_phases.backward, c.measured_phases.backward));
      cells.push_back(phase_error(c.predicted_phases.optimizer, c.measured_phases.optimizer));
    }
    if (in_sample) cells.emplace_back(c.in_sample ? "no" : "yes");
    table.add_row(std::move(cells));
  }
  return table;
}

std::string null_share(const ScoredSet& set, const std::string& name) {
  const auto found = set.null_mape.find(name);
  return found == set.null_mape.end() ? "-" : share_cell(found->second, false);
}

Table sets(const Validation& validation) {
  Table table({"set", "cases", "MAPE", "median", "P90", "max", "bias", "inside", "tau", "roofline",
               "MFU", "alpha-beta"});
  for (const ScoredSet& set : validation.sets) {
    const ErrorSummary& e = set.errors;
    const std::string name = shortened(set.name, kNameColumns - kShortestName);
    if (e.count == 0) {
      table.add_row({name, "0", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    table.add_row({name, std::to_string(e.count), share_cell(e.mape, false),
                   share_cell(e.median_ape, false), share_cell(e.p90_ape, false),
                   share_cell(e.max_ape, false), share_cell(e.bias, true),
                   share_cell(set.coverage90, false),
                   e.count < 2 ? "-" : significant(e.kendall_tau, 2), null_share(set, "roofline"),
                   null_share(set, "constant_mfu"), null_share(set, "alpha_beta")});
  }
  return table;
}

// Words in lines of the screen's width, all but the first indented.
std::string wrapped(const std::string& text) {
  std::istringstream words(text);
  std::string out, line, word;
  while (words >> word) {
    if (!line.empty() && line.size() + 1 + word.size() > kScreenColumns) {
      out += line + "\n";
      line = " ";
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line + "\n";
}

// What is wrong with sets, and, of a few, with cases.
std::vector<std::string> remark_lines(const Validation& validation, bool few) {
  std::string out;
  for (const ScoredSet& set : validation.sets) {
    for (const std::string& shortfall : shortfalls(set)) {
      out += wrapped(set.name + ": FAILED: " + shortfall);
    }
  }
  for (const ScoredSet& set : validation.sets) {
    for (const std::string& warning : set.warnings) {
      if (few) out += wrapped(set.name + ": " + warning);
    }
  }
  for (const SkippedCase& c : validation.skipped) {
    if (few) out += wrapped("skipped " + c.name + ": " + c.reason);
  }
  return lines_of(out);
}

}  // namespace

std::string validation_screen(const Validation& validation, bool all) {
  const bool few = validation.sets.size() <= kMostSetsWithCases;
  const std::size_t rows = all ? SIZE_MAX : kScreenRows;
  const std::string legend = wrapped(
      "errors in %; inside: measured within the predicted 90 % interval; last the MAPE of null "
      "models: roofline, constant MFU, alpha-beta");
  const std::string closing =
      few ? ""
          : wrapped("cases of a set, and the " + std::to_string(validation.skipped.size()) +
                    " skipped: --only SET; of all: --csv, --json, --md");
  const std::string remarks =
      first_lines(remark_lines(validation, few), all ? rows : kRowsOfRemarks, "", kRest);
  const std::size_t used = screen_rows(legend + closing + remarks);
  const std::size_t left = all ? rows : rows - used;
  const std::string summary = legend + first_lines(lines_of(sets(validation).to_string()), left, "",
                                                   "more sets (--all lists them)");
  if (!few) return summary + remarks + closing;
  const std::string title = "times in ms\n";
  const std::size_t around = screen_rows(title + summary + remarks) + 1;
  return title +
         first_lines(lines_of(cases(validation).to_string()), all ? rows : rows - around, "",
                     "more cases (--all lists them)") +
         "\n" + summary + remarks;
}

}  // namespace paceline
