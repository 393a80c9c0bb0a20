// A table made column by column from rows of one kind: the heading of a column stands beside what
// its cells say, so that a column which is there only at times has one condition, not two.
//
//   Columns columns(cases);
//   columns.add("case", [](const Case& c) { return c.name; });
//   if (phases) columns.add("forward", forward_cell);
//   columns.table().to_string();
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/table.h"

namespace paceline {

template <typename Row>
class Columns {
 public:
  // `rows` must outlive this.
  explicit Columns(const std::vector<Row>& rows) : rows_(rows), cells_(rows.size()) {}

  // `cell` gives the text of a row.
  template <typename Cell>
  void add(std::string heading, const Cell& cell) {
    headings_.push_back(std::move(heading));
    for (std::size_t i = 0; i < rows_.size(); ++i) cells_[i].push_back(cell(rows_[i]));
  }
  // One cell of each row, in the order of rows.
  void add_cells(std::string heading, const std::vector<std::string>& cells) {
    PACELINE_ASSERT(cells.size() == rows_.size(), "a column has a cell of each row");
    headings_.push_back(std::move(heading));
    for (std::size_t i = 0; i < cells.size(); ++i) cells_[i].push_back(cells[i]);
  }

  Table table() const {
    Table out(headings_);
    for (const std::vector<std::string>& row : cells_) out.add_row(row);
    return out;
  }

 private:
  const std::vector<Row>& rows_;
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> cells_;  // row, column
};

}  // namespace paceline
