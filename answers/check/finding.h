// What a check found out about a measured number: what was said, what is to be expected, and what
// would explain the difference.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace paceline {

enum class Verdict { kPlausible, kImplausible, kImpossible };
std::string_view to_string(Verdict verdict);

struct Finding {
  std::string what;      // "utilization of the arithmetic peak"
  double measured = 0;   // both in `unit`
  double expected = 0;   // the limit or the prediction it was held against
  std::string unit;      // "samples/s", "B/s"; empty for a ratio
  std::string cause;     // what it means, and what would explain it
  std::string remedy{};  // what to try; empty if there is nothing to do
  std::string remark{};  // of a plausible number that is unusual: "slower than expected"
  // `expected` is what cannot be exceeded, rather than what is usual.
  bool at_most = false;
  // kPlausible for a remark that explains without doubting.
  Verdict verdict = Verdict::kPlausible;
};

struct CheckResult {
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // what could not be checked, and why
  // The worst of the findings.
  Verdict verdict() const;
};

// {"schema": "paceline.check/1", "verdict", "findings": [...], "notes": [...]}.
nlohmann::ordered_json to_json(const CheckResult& result);
// For people: the verdict, then one block per finding, the worst first.
std::string check_screen(const CheckResult& result);

}  // namespace paceline
