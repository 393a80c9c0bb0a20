// Times in tables of a validation.
#pragma once

#include <string>

#include "core/units_text.h"

namespace paceline {

// 0.0421 as "42.1".
inline std::string milliseconds(double seconds) { return significant(1e3 * seconds, 4); }

}  // namespace paceline
