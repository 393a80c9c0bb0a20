#include "core/screen_text.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(ScreenText, CountsLinesAsATerminalWrapsThem) {
  EXPECT_EQ(screen_rows(""), 0u);
  EXPECT_EQ(screen_rows("\na\n"), 2u);
  EXPECT_EQ(screen_rows(std::string(kScreenColumns, 'a') + "\n"), 1u);
  EXPECT_EQ(screen_rows(std::string(kScreenColumns + 1, 'a') + "\nb\n"), 3u);
}

TEST(ScreenText, SaysHowManyLinesItLeavesOut) {
  const std::vector<std::string> lines = {"a", "b", "c"};
  EXPECT_EQ(first_lines(lines, 3, "", "more"), "a\nb\nc\n");
  EXPECT_EQ(first_lines(lines, 2, "  ", "more (--all)"), "a\n  and 2 more (--all)\n");
  EXPECT_EQ(first_lines(lines, 0, "", "more"), "and 3 more\n");
  EXPECT_EQ(first_lines({}, 0, "", "more"), "");
}

}  // namespace
}  // namespace paceline
