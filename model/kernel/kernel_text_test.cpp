#include "model/kernel/kernel_text.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

std::string stream_text(std::int64_t elements, std::int64_t row) {
  StreamShape stream;
  stream.elements = elements;
  stream.row = row;
  return readable_text(stream);
}

TEST(KernelText, CountsRows) { EXPECT_EQ(stream_text(4096000, 1000), "stream 4096 rows of 1000"); }

TEST(KernelText, CountsElementsThatFillNoRows) {
  EXPECT_EQ(stream_text(4100, 1000), "stream 4100 in rows of 1000");
  EXPECT_EQ(stream_text(4100, 0), "stream 4100");
}

TEST(KernelText, OfOtherKernelsIsTheirName) {
  const GemmShape gemm{.m = 2, .n = 3, .k = 5};
  EXPECT_EQ(readable_text(gemm), to_string(KernelShape(gemm)));
}

}  // namespace
}  // namespace paceline
