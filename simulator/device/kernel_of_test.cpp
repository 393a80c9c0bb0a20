#include "simulator/device/kernel_of.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

Measurement of(const std::string& benchmark, Axes axes) {
  Measurement m;
  m.benchmark = benchmark;
  m.axes = std::move(axes);
  return m;
}

using Int = std::int64_t;

TEST(KernelOf, RebuildsAGemm) {
  const auto kernel = kernel_of(of("openblas.sgemm", {{"m", Int{512}},
                                                      {"n", Int{64}},
                                                      {"k", Int{128}},
                                                      {"trans_a", "T"},
                                                      {"trans_b", "N"},
                                                      {"threads", Int{2}}}));
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(to_string(kernel->shape), "gemm TN 512x64x128");
}

TEST(KernelOf, RebuildsAConvolution) {
  const auto kernel = kernel_of(of("onednn.conv", {{"pass", "dgrad"},
                                                   {"n", Int{16}},
                                                   {"c", Int{64}},
                                                   {"h", Int{56}},
                                                   {"w", Int{56}},
                                                   {"k", Int{64}},
                                                   {"r", Int{3}},
                                                   {"s", Int{3}},
                                                   {"pad_h", Int{1}},
                                                   {"pad_w", Int{1}}}));
  EXPECT_EQ(to_string(kernel->shape), "conv dgrad 16x64x56x56 k64 3x3 s1 p1");
}

TEST(KernelOf, RebuildsAStreamWithItsTraffic) {
  const Measurement m = of("aten.softmax", {{"elements", Int{1000}},
                                            {"read_bytes", Int{4000}},
                                            {"written_bytes", Int{4000}},
                                            {"row", Int{10}},
                                            {"threads", Int{2}}});
  const auto kernel = kernel_of(m);
  EXPECT_EQ(kernel_bytes(kernel->shape, Precision::kFp32).si(), 8000);
  EXPECT_EQ(context_of(m).threads, 2);
}

// A context without its threads would be priced as one thread: never assumed.
TEST(KernelOf, RefusesContextsAndTrafficThatCannotBe) {
  EXPECT_THROW(context_of(of("aten.softmax", {{"elements", Int{1000}}})), InputError);
  EXPECT_THROW(context_of(of("aten.softmax", {{"threads", Int{-2}}})), InputError);
  EXPECT_THROW(kernel_of(of("aten.softmax", {{"elements", Int{1000}},
                                             {"read_bytes", Int{-4000}},
                                             {"written_bytes", Int{4000}}})),
               InputError);
}

TEST(KernelOf, RebuildsARecurrentLayerAndAttentionWithTheirPrecision) {
  const auto lstm = kernel_of(of("gpu.rnn", {{"pass", "wgrad"},
                                             {"gates", Int{4}},
                                             {"input", Int{0}},
                                             {"hidden", Int{512}},
                                             {"batch", Int{16}},
                                             {"steps", Int{25}},
                                             {"precision", "fp16"}}));
  EXPECT_EQ(to_string(lstm->shape), "rnn wgrad g4 i0 h512 b16 t25 l1");
  EXPECT_EQ(lstm->precision, Precision::kFp16);
  const auto attention = kernel_of(of("gpu.attention", {{"attention", "forward"},
                                                        {"batch", Int{2}},
                                                        {"seq", Int{4096}},
                                                        {"heads", Int{32}},
                                                        {"kv_heads", Int{8}},
                                                        {"head_dim", Int{128}},
                                                        {"causal", Int{1}}}));
  EXPECT_EQ(to_string(attention->shape), "attention forward b2 l4096 h32x8 d128 causal");
}

TEST(KernelOf, SaysWhatIsWrong) {
  EXPECT_FALSE(kernel_of(of("openmp.fork_join", {{"threads", Int{2}}})).has_value());
  EXPECT_THROW(kernel_of(of("openblas.sgemm", {{"trans_a", "T"}, {"m", Int{1}}})), InputError);
  EXPECT_THROW(kernel_of(of("onednn.conv", {{"pass", "backward"}})), InputError);
}

}  // namespace
}  // namespace paceline
