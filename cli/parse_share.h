// Shares as people write them: "20%" or "0.2".
#pragma once

#include <string>
#include <string_view>

namespace paceline {

inline constexpr double kAnyShare = 1e6;

// Positive, at most `largest`. A bare number above 1 is refused: "1.5" may be a share or per cent.
// Throws UsageError naming `what` and the text.
double parse_share(std::string_view what, const std::string& text, double largest);

}  // namespace paceline
