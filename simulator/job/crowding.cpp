#include "simulator/job/crowding.h"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

constexpr double kAgrees = 1e-6;  // relative
constexpr int kMostSteps = 40;

}  // namespace

Crowding crowding_at(const std::vector<CrowdedResource>& resources, Seconds iteration) {
  Crowding out;
  for (const CrowdedResource& resource : resources) {
    const double others = (resource.users - 1) * (resource.needed / iteration);
    const double users = resource.users;
    out[resource.name] = others < 1 ? std::min(users, 1 / (1 - others)) : users;
  }
  return out;
}

// Regula falsi with halving at the end that stays (Illinois; Dowell and Jarratt 1971) on
// time_under(crowding_at(T)) - T, which falls.
Crowding settled_crowding(const std::vector<CrowdedResource>& resources, Seconds alone,
                          const std::function<Seconds(const Crowding&)>& time_under) {
  double low = alone.si();
  for (const CrowdedResource& resource : resources) {
    low = std::max(low, resource.users * resource.needed.si());
  }
  const auto excess = [&](double time) {
    return time_under(crowding_at(resources, Seconds(time))).si() - time;
  };
  double at_low = excess(low);
  if (at_low <= kAgrees * low) return crowding_at(resources, Seconds(low));
  double high = low + at_low;
  double at_high = excess(high);
  int kept = 0;  // -1: the low end has stayed, 1: the high one
  for (int step = 0; step < kMostSteps && at_high < -kAgrees * high; ++step) {
    const double next = (low * at_high - high * at_low) / (at_high - at_low);
    const double at_next = excess(next);
    if (std::abs(at_next) <= kAgrees * next) return crowding_at(resources, Seconds(next));
    if (at_next > 0) {
      low = next;
      at_low = at_next;
      if (kept == 1) at_high /= 2;
      kept = 1;
    } else {
      high = next;
      at_high = at_next;
      if (kept == -1) at_low /= 2;
      kept = -1;
    }
  }
  return crowding_at(resources, Seconds(high));
}

}  // namespace paceline
