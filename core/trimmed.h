// Text without what surrounds it.
#pragma once

#include <string_view>

namespace paceline {

// Without the characters of `around` at either end.
inline std::string_view trimmed(std::string_view text, std::string_view around = " ") {
  const std::size_t begin = text.find_first_not_of(around);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(around) - begin + 1);
}

}  // namespace paceline
