#include "answers/compare/rate_text.h"

#include "core/units_text.h"

namespace paceline {

std::string rate_text(double per_second, int digits) {
  constexpr double kMillion = 1e6, kBillion = 1e9;
  if (per_second >= kBillion) return significant(per_second / kBillion, digits) + " G";
  if (per_second >= kMillion) return significant(per_second / kMillion, digits) + " M";
  return significant(per_second, digits);
}

}  // namespace paceline
