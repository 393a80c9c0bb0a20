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

// A causal row sees half of the keys, so long causal attention does half of the work; the backward
// pass has five matrix products where the forward has two.
TEST(Kernel, CountsTheProductsOfAttention) {
  AttentionShape full{.batch = 2, .seq = 1000, .heads = 4, .kv_heads = 4, .head_dim = 64};
  EXPECT_DOUBLE_EQ(kernel_flops(full).si(), 2 * 4 * (4.0 * 1000 * 1000 * 64));
  AttentionShape causal = full;
  causal.causal = true;
  EXPECT_NEAR(kernel_flops(causal) / kernel_flops(full), 0.5, 1e-3);
  AttentionShape backward = full;
  backward.pass = Pass::kDgrad;
  EXPECT_DOUBLE_EQ(kernel_flops(backward) / kernel_flops(full), 2.5);
}

// An LSTM layer multiplies 4 gate matrices of hidden x (input + hidden) at every step.
TEST(Kernel, CountsTheGateMatricesOfARecurrentLayer) {
  RnnShape lstm{.gates = 4, .input = 20, .hidden = 30, .batch = 5, .steps = 7};
  EXPECT_DOUBLE_EQ(kernel_flops(lstm).si(), 2.0 * 5 * 7 * 4 * 30 * (20 + 30));
  // The second layer of a bidirectional one reads both directions of the first.
  lstm.bidirectional = true;
  lstm.layers = 2;
  EXPECT_DOUBLE_EQ(kernel_flops(lstm).si(), 2.0 * 5 * 7 * 4 * 30 * 2 * (20 + 30 + 60 + 30));
}

TEST(Kernel, PrintsAShortUniqueName) {
  EXPECT_EQ(to_string(KernelShape(GemmShape{.m = 2, .n = 3, .k = 5, .trans_b = true})),
            "gemm NT 2x3x5");
  EXPECT_EQ(to_string(KernelShape(
                AttentionShape{.batch = 1, .seq = 128, .heads = 8, .kv_heads = 2, .head_dim = 64})),
            "attention forward b1 l128 h8x2 d64");
  EXPECT_EQ(to_string(KernelShape(RnnShape{.gates = 3, .hidden = 16, .batch = 2, .steps = 9})),
            "rnn forward g3 i0 h16 b2 t9 l1");
}

TEST(Kernel, RefusesAnUnknownPrecision) { EXPECT_THROW(parse_precision("fp23"), UsageError); }

}  // namespace
}  // namespace paceline
