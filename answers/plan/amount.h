// Large numbers of samples or tokens as people write them: "1T", "400B", "1.28M", "50000".
#pragma once

#include <string_view>

namespace paceline {

// k, M, B or G, T: powers of 1000. Throws UsageError naming `what` and the text unless it is a
// positive whole number of at most 10^18.
double parse_amount(std::string_view what, std::string_view text);

}  // namespace paceline
