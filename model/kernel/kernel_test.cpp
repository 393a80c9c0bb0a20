#include "model/kernel/kernel.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

TEST(Kernel, CountsTwoFlopPerMultiplyAdd) {
  EXPECT_DOUBLE_EQ(kernel_flops(GemmShape{.m = 2, .n = 3, .k = 5}).si(), 60);
  // ResNet's stem: 7x7 stride 2 on 224x224, 64 filters of 3 channels, 112x112 outputs.
  const ConvShape stem{.n = 1,
                       .c = 3,
                       .h = 224,
                       .w = 224,
                       .k = 64,
                       .r = 7,
                       .s = 7,
                       .pad_h = 3,
                       .pad_w = 3,
                       .stride_h = 2,
                       .stride_w = 2};
  EXPECT_EQ(stem.output_h(), 112);
  EXPECT_DOUBLE_EQ(kernel_flops(stem).si(), 2.0 * 112 * 112 * 64 * 147);
}

TEST(Kernel, CountsEveryOperandOnce) {
  EXPECT_DOUBLE_EQ(kernel_bytes(GemmShape{.m = 2, .n = 3, .k = 5}, Precision::kFp32).si(),
                   4.0 * (10 + 15 + 6));
  EXPECT_DOUBLE_EQ(kernel_bytes(GemmShape{.m = 2, .n = 3, .k = 5}, Precision::kBf16).si(),
                   2.0 * (10 + 15 + 6));
}

TEST(Kernel, PrintsAShortUniqueName) {
  EXPECT_EQ(to_string(KernelShape(GemmShape{.m = 2, .n = 3, .k = 5, .trans_b = true})),
            "gemm NT 2x3x5");
}

TEST(Kernel, RefusesAnUnknownPrecision) { EXPECT_THROW(parse_precision("fp23"), UsageError); }

}  // namespace
}  // namespace paceline
