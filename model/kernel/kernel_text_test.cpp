#include "model/kernel/kernel_text.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

TEST(KernelText, CountsRows) {
  EXPECT_EQ(readable_text(StreamShape{.elements = 4096000, .row = 1000}),
            "stream 4096 rows of 1000");
}

TEST(KernelText, CountsElementsThatFillNoRows) {
  EXPECT_EQ(readable_text(StreamShape{.elements = 4100, .row = 1000}),
            "stream 4100 in rows of 1000");
  EXPECT_EQ(readable_text(StreamShape{.elements = 4100}), "stream 4100");
}

TEST(KernelText, OfOtherKernelsIsTheirName) {
  const GemmShape gemm{.m = 2, .n = 3, .k = 5};
  EXPECT_EQ(readable_text(gemm), to_string(KernelShape(gemm)));
}

}  // namespace
}  // namespace paceline
