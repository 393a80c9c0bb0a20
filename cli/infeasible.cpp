#include "cli/infeasible.h"

#include <algorithm>

#include "core/units_text.h"

namespace paceline {
namespace {

std::string bytes(std::int64_t count) { return to_text(Bytes(static_cast<double>(count))); }

}  // namespace

ExitCode infeasible(const std::string& reason, std::ostream& errors) {
  errors << "paceline: infeasible: " << reason << "\n";
  return ExitCode::kInfeasible;
}

ExitCode check_memory(const std::vector<Report>& reports, std::ostream& errors) {
  if (std::ranges::any_of(reports, [](const Report& r) { return r.memory.fits(); })) {
    return ExitCode::kOk;
  }
  const Report& nearest = *std::ranges::min_element(
      reports, {}, [](const Report& r) { return r.memory.peak() - r.memory.capacity; });
  std::string reason = "needs " + bytes(nearest.memory.peak()) + " of the " +
                       bytes(nearest.memory.capacity) + " of " + nearest.experiment.device;
  if (reports.size() > 1) {
    reason =
        "none of " + std::to_string(reports.size()) + " configurations fits; the nearest " + reason;
  }
  return infeasible(reason + " (paceline memory: what fits)", errors);
}

}  // namespace paceline
