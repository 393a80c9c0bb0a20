// Shares for people.
#pragma once

#include <cstdio>
#include <string>

#include "core/units_text.h"

namespace paceline {

// 0.1234 as "12 %", with so many significant digits.
inline std::string percent(double share, int digits = 2) {
  return significant(100 * share, digits) + " %";
}

// 0.1234 as "12.3 %": errors in columns, read against each other.
inline std::string percent_in_tenths(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

}  // namespace paceline
