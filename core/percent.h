// Shares for people.
#pragma once

#include <string>

#include "core/units_text.h"

namespace paceline {

// 0.1234 as "12 %", with so many significant digits.
inline std::string percent(double share, int digits = 2) {
  return significant(100 * share, digits) + " %";
}

}  // namespace paceline
