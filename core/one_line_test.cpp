#include "core/one_line.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

// A file's names can hold escape sequences; a terminal must not see them.
TEST(OneLine, KeepsNoControlCharacter) {
  EXPECT_EQ(one_line("a\nb\tc\rd"), "a b c d");
  EXPECT_EQ(one_line("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(one_line(std::string_view("\0\x07\x7f", 3)), "\\x00\\x07\\x7f");
}

TEST(OneLine, LeavesTextAlone) {
  EXPECT_EQ(one_line("resnet50, 1.5 GB/s; \"é\""), "resnet50, 1.5 GB/s; \"é\"");
}

}  // namespace
}  // namespace paceline
