#include "answers/check/finding.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/units_text.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

std::string quantity(double value, const std::string& unit) {
  if (unit.empty()) return significant(value);
  if (unit == "B") return to_text(Bytes(value));
  if (unit == "B/s") return to_text(BytesPerSecond(value));
  if (unit == "FLOP/s") return to_text(FlopsPerSecond(value));
  if (unit == "s") return to_text(Seconds(value));
  return significant(value, 4) + " " + unit;
}

std::string remark_text(const Finding& finding) {
  return finding.remark.empty() ? "" : ", but " + finding.remark;
}

std::vector<Finding> worst_first(std::vector<Finding> findings) {
  std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::verdict);
  return findings;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPlausible:
      return "plausible";
    case Verdict::kImplausible:
      return "implausible";
    case Verdict::kImpossible:
      return "impossible";
  }
  PACELINE_ASSERT(false, "every verdict has a name");
  return "";
}

Verdict CheckResult::verdict() const {
  Verdict worst = Verdict::kPlausible;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

ordered_json to_json(const CheckResult& result) {
  ordered_json findings = ordered_json::array();
  for (const Finding& finding : worst_first(result.findings)) {
    findings.push_back({{"what", finding.what},
                        {"measured", finding.measured},
                        {"expected", finding.expected},
                        {"expected_is", finding.at_most ? "limit" : "usual"},
                        {"unit", finding.unit},
                        {"cause", finding.cause},
                        {"remedy", finding.remedy},
                        {"remark", finding.remark},
                        {"verdict", to_string(finding.verdict)}});
  }
  return {{"schema", "paceline.check/1"},
          {"verdict", to_string(result.verdict())},
          {"findings", std::move(findings)},
          {"notes", result.notes}};
}

std::string check_screen(const CheckResult& result) {
  std::string out = std::string(to_string(result.verdict()));
  if (result.verdict() == Verdict::kPlausible) {
    for (const Finding& finding : result.findings) out += remark_text(finding);
  }
  out += "\n";
  for (const Finding& finding : worst_first(result.findings)) {
    out += "\n  " + finding.what + ": " + std::string(to_string(finding.verdict)) +
           remark_text(finding) + "\n";
    out += "    measured  " + quantity(finding.measured, finding.unit) + ", " +
           (finding.at_most ? "at most " : "expected ") + quantity(finding.expected, finding.unit) +
           "\n";
    out += "    because   " + finding.cause + "\n";
    if (!finding.remedy.empty()) out += "    try       " + finding.remedy + "\n";
  }
  for (const std::string& note : result.notes) out += "\n  not checked: " + note + "\n";
  return out;
}

}  // namespace paceline
