#include "core/table.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace paceline {
namespace {

// Characters, not bytes: UTF-8 continuation bytes take no column.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool looks_numeric(const std::string& text) {
  if (text.empty() || text == "-") return true;
  const char first = text[0];
  return std::isdigit(static_cast<unsigned char>(first)) != 0 ||
         ((first == '-' || first == '+') && text.size() > 1);
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - width_of(text), ' ');
  return right ? space + text : text + space;
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += (c == '"') ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void Table::add_row(std::vector<std::string> cells) {
  PACELINE_ASSERT(cells.size() == header_.size(), "a row has as many cells as the header");
  rows_.push_back(std::move(cells));
}

std::string Table::to_string(TableFormat format) const {
  std::string out;
  if (format == TableFormat::kCsv) {
    const auto add_line = [&out](const std::vector<std::string>& cells) {
      for (std::size_t i = 0; i < cells.size(); ++i)
        out += (i > 0 ? "," : "") + csv_field(cells[i]);
      out += "\n";
    };
    add_line(header_);
    for (const auto& row : rows_) add_line(row);
    return out;
  }
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t i = 0; i < header_.size(); ++i) {
    std::size_t width = width_of(header_[i]);
    bool numeric = !rows_.empty();
    for (const auto& row : rows_) {
      width = std::max(width, width_of(row[i]));
      numeric = numeric && looks_numeric(row[i]);
    }
    widths.push_back(width);
    right.push_back(numeric);
  }
  const bool markdown = format == TableFormat::kMarkdown;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line = markdown ? "| " : "";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += (i > 0 ? (markdown ? " | " : "  ") : "") + padded(cells[i], widths[i], right[i]);
    }
    if (!markdown) line.erase(line.find_last_not_of(' ') + 1);
    out += line + (markdown ? " |\n" : "\n");
  };
  add_line(header_);
  if (markdown) {
    out += "|";
    for (std::size_t i = 0; i < header_.size(); ++i) {
      out += " " + std::string(widths[i] - (right[i] ? 1 : 0), '-') + (right[i] ? ":" : "") + " |";
    }
    out += "\n";
  }
  for (const auto& row : rows_) add_line(row);
  return out;
}

}  // namespace paceline
