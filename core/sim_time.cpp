#include "core/sim_time.h"

#include <cmath>

#include "core/error.h"

namespace paceline {

SimTime SimTime::from(Seconds cost) {
  const double ps = cost.si() * 1e12;
  PACELINE_ASSERT(std::isfinite(ps) && ps >= 0 && ps < 0x1p62,
                  "a simulated duration is finite, not negative and below 53 days");
  return SimTime(std::llround(ps));
}

}  // namespace paceline
