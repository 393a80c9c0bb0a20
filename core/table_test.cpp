#include "core/table.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

Table sample() {
  Table table({"case", "ms"});
  table.add_row({"fcn", "1.5"});
  table.add_row({"a, \"b\"", "12.0"});
  return table;
}

TEST(Table, AlignsNumbersRightAndTextLeft) {
  EXPECT_EQ(sample().to_string(), "case      ms\nfcn      1.5\na, \"b\"  12.0\n");
}

TEST(Table, WritesMarkdownAndCsv) {
  EXPECT_EQ(sample().to_string(TableFormat::kMarkdown),
            "| case   |   ms |\n| ------ | ---: |\n| fcn    |  1.5 |\n| a, \"b\" | 12.0 |\n");
  EXPECT_EQ(sample().to_string(TableFormat::kCsv), "case,ms\nfcn,1.5\n\"a, \"\"b\"\"\",12.0\n");
}

}  // namespace
}  // namespace paceline
