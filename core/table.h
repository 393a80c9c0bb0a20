// Tables of text: aligned for a terminal, Markdown for documents, CSV for programs.
#pragma once

#include <string>
#include <vector>

namespace paceline {

enum class TableFormat { kText, kMarkdown, kCsv };

class Table {
 public:
  // Columns whose every cell looks like a number are aligned to the right.
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}

  // As many cells as the header has.
  void add_row(std::vector<std::string> cells);
  std::size_t row_count() const { return rows_.size(); }
  const std::vector<std::string>& header() const { return header_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  std::string to_string(TableFormat format = TableFormat::kText) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// Text of one CSV field, quoted when it must be (RFC 4180).
std::string csv_field(const std::string& text);

}  // namespace paceline
