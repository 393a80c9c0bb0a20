#include "core/one_line.h"

namespace paceline {

std::string one_line(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr unsigned char kDelete = 0x7f;
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\r' || c == '\t') {
      line += ' ';
    } else if (code < ' ' || code == kDelete) {
      line += "\\x";
      line += kDigits[code / 16];
      line += kDigits[code % 16];
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace paceline
