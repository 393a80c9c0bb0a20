#include "core/sim_time.h"

#include <cmath>

#include "core/error.h"
#include "core/units_text.h"

namespace paceline {

SimTime SimTime::from(Seconds cost) {
  const double ps = cost.si() * 1e12;
  PACELINE_ASSERT(ps >= 0, "a simulated duration is a number and not negative");
  if (ps >= 0x1p62) {
    throw UsageError("a duration of " + to_text(cost) +
                     " cannot be simulated, 53 days can; check the times, rates and sizes given");
  }
  return SimTime(std::llround(ps));
}

}  // namespace paceline
