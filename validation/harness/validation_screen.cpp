#include "validation/harness/validation_screen.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sstream>

#include "core/columns.h"
#include "core/screen_text.h"
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
  Columns columns(validation.cases);
  const auto add = [&columns](const char* heading, const auto& cell) {
    columns.add(heading, cell);
  };
  const auto add_milliseconds = [&add](const char* heading, double ScoredCase::*time) {
    add(heading, [time](const ScoredCase& c) { return milliseconds(c.*time); });
  };
  const auto add_phase = [&add](const char* heading, Seconds PhaseTimes::*phase) {
    add(heading, [phase](const ScoredCase& c) {
      return phase_error(c.predicted_phases.*phase, c.measured_phases.*phase);
    });
  };
  add("case", [](const ScoredCase& c) { return shortened(c.name, kNameColumns); });
  add_milliseconds("measured", &ScoredCase::measured_s);
  add_milliseconds("predicted", &ScoredCase::predicted_s);
  add_milliseconds("p05", &ScoredCase::p05_s);
  add_milliseconds("p95", &ScoredCase::p95_s);
  add("error %", [](const ScoredCase& c) { return share_cell(c.error, true); });
  if (std::ranges::any_of(validation.cases, has_phases)) {
    add_phase("forward", &PhaseTimes::forward);
    add_phase("backward", &PhaseTimes::backward);
    add_phase("optimizer", &PhaseTimes::optimizer);
  }
  if (std::ranges::any_of(validation.cases, &ScoredCase::in_sample)) {
    add("counts", [](const ScoredCase& c) { return std::string(c.in_sample ? "no" : "yes"); });
  }
  return columns.table();
}

std::string null_share(const ScoredSet& set, const std::string& name) {
  const auto found = set.null_mape.find(name);
  return found == set.null_mape.end() ? "-" : share_cell(found->second, false);
}

// The errors of a set that has any.
Table sets(const Validation& validation) {
  Columns columns(validation.sets);
  const auto add = [&columns](const char* heading, std::size_t fewest, const auto& cell) {
    columns.add(heading, [&](const ScoredSet& set) {
      return set.errors.count < fewest ? std::string("-") : cell(set);
    });
  };
  const auto add_share = [&add](const char* heading, double ErrorSummary::*share, bool with_sign) {
    add(heading, 1, [&](const ScoredSet& set) { return share_cell(set.errors.*share, with_sign); });
  };
  const auto add_null = [&add](const char* heading, const char* name) {
    add(heading, 1, [&](const ScoredSet& set) { return null_share(set, name); });
  };
  add("set", 0,
      [](const ScoredSet& set) { return shortened(set.name, kNameColumns - kShortestName); });
  add("cases", 0, [](const ScoredSet& set) { return std::to_string(set.errors.count); });
  add_share("MAPE", &ErrorSummary::mape, false);
  add_share("median", &ErrorSummary::median_ape, false);
  add_share("P90", &ErrorSummary::p90_ape, false);
  add_share("max", &ErrorSummary::max_ape, false);
  add_share("bias", &ErrorSummary::bias, true);
  add("inside", 1, [](const ScoredSet& set) { return share_cell(set.coverage90, false); });
  add("tau", 2, [](const ScoredSet& set) { return significant(set.errors.kendall_tau, 2); });
  add_null("roofline", "roofline");
  add_null("MFU", "constant_mfu");
  add_null("alpha-beta", "alpha_beta");
  return columns.table();
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
