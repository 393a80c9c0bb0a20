// A screen of text: how much fits on one. A line that is longer than a terminal is wide counts as
// the rows that it takes there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace paceline {

inline constexpr std::size_t kScreenRows = 25;
inline constexpr std::size_t kScreenColumns = 120;

// Of a terminal of kScreenColumns columns; a text ends with a line feed or is empty.
std::size_t screen_rows(std::string_view text);

// Without line feeds.
std::vector<std::string> lines_of(std::string_view text);

// As many of `lines` (without line feeds), from the first, as take `rows` or less; if that is not
// all of them, the last of those rows says so: "  and 3 more (--json lists all)" with `rest` as
// "more (--json lists all)" and `indent` before it.
std::string first_lines(const std::vector<std::string>& lines, std::size_t rows,
                        std::string_view indent, std::string_view rest);

}  // namespace paceline
