#include "core/screen_text.h"

#include <algorithm>

namespace paceline {
namespace {

std::size_t rows_of_line(std::size_t columns) {
  return columns == 0 ? 1 : (columns + kScreenColumns - 1) / kScreenColumns;
}

}  // namespace

std::size_t screen_rows(std::string_view text) {
  std::size_t rows = 0;
  for (const std::string& line : lines_of(text)) rows += rows_of_line(line.size());
  return rows;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string first_lines(const std::vector<std::string>& lines, std::size_t rows,
                        std::string_view indent, std::string_view rest) {
  std::size_t all = 0;
  for (const std::string& line : lines) all += rows_of_line(line.size());
  const std::size_t room = all <= rows ? rows : rows - std::min<std::size_t>(rows, 1);
  std::string out;
  std::size_t used = 0;
  std::size_t shown = 0;
  while (shown < lines.size() && used + rows_of_line(lines[shown].size()) <= room) {
    used += rows_of_line(lines[shown].size());
    out += lines[shown++] + "\n";
  }
  if (shown == lines.size()) return out;
  return out + std::string(indent) + "and " + std::to_string(lines.size() - shown) + " " +
         std::string(rest) + "\n";
}

}  // namespace paceline
