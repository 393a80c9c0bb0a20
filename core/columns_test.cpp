#include "core/columns.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

struct Measured {
  std::string name;
  int milliseconds;
};

// Whatever the order of rows and columns, a cell stands under its heading and in its row.
TEST(Columns, PutCellsUnderTheirHeadingsRowByRow) {
  const std::vector<Measured> rows = {{"fcn", 2}, {"alexnet", 13}};
  Columns columns(rows);
  columns.add("case", [](const Measured& row) { return row.name; });
  columns.add("ms", [](const Measured& row) { return std::to_string(row.milliseconds); });
  columns.add_cells("layout", {"nchw", "nhwc"});
  EXPECT_EQ(columns.table().to_string(TableFormat::kCsv),
            "case,ms,layout\nfcn,2,nchw\nalexnet,13,nhwc\n");
}

TEST(Columns, OfNoRowsAreTheHeadings) {
  const std::vector<Measured> rows;
  Columns columns(rows);
  columns.add("case", [](const Measured& row) { return row.name; });
  EXPECT_EQ(columns.table().to_string(TableFormat::kCsv), "case\n");
}

TEST(Columns, RefuseCellsOfOtherRows) {
  const std::vector<Measured> rows = {{"fcn", 2}};
  Columns columns(rows);
  EXPECT_THROW(columns.add_cells("layout", {"nchw", "nhwc"}), Error);
}

}  // namespace
}  // namespace paceline
