// A rate without its unit for people: 1234, 56.7 M. No exponents.
#pragma once

#include <string>

namespace paceline {

// `digits` significant ones; millions and more with a prefix.
std::string rate_text(double per_second, int digits = 3);

}  // namespace paceline
