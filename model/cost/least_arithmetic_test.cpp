#include "model/cost/least_arithmetic.h"

#include <gtest/gtest.h>

#include "model/graph/rewrite/fused_attention.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

WorkloadGraph graph_of(const std::string& model) {
  return build_workload(workload_registry(), model, {.batch = 2});
}

// The algorithms only ever save arithmetic, and there is always some left.
TEST(LeastArithmetic, IsNeverMoreThanWhatIsCounted) {
  for (const std::string& model : workload_registry().names()) {
    const WorkloadGraph graph = graph_of(model);
    for (const bool on_matrix_units : {false, true}) {
      const Flops forward = least_forward_flops(graph, Precision::kFp32, on_matrix_units);
      const Flops training = least_training_flops(graph, Precision::kFp32, on_matrix_units);
      EXPECT_LE(forward.si(), graph.forward_flops().si() * (1 + 1e-12)) << model;
      EXPECT_LE(training.si(), graph.training_flops().si() * (1 + 1e-12)) << model;
      EXPECT_GT(forward.si(), 0.05 * graph.forward_flops().si()) << model;
      EXPECT_GT(training, forward) << model;
    }
  }
}

// A 3 x 3 filter over tiles of 4 x 4 outputs takes 36 products for the 144 of direct convolution.
TEST(LeastArithmetic, OfAThreeByThreeConvolutionIsAFourthWithVectorUnits) {
  const KernelShape shape =
      ConvShape{.n = 8, .c = 64, .h = 56, .w = 56, .k = 64, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1};
  const double direct = kernel_flops(shape).si();
  EXPECT_NEAR(least_flops(shape, Precision::kFp32, false).si(), direct / 4, 1e-6 * direct);
  EXPECT_DOUBLE_EQ(least_flops(shape, Precision::kFp16, true).si(), direct);
}

// Strides, 1 x 1 filters and matrix products leave nothing to save.
TEST(LeastArithmetic, OfWhatHasNoFasterFormIsWhatIsCounted) {
  const KernelShape shapes[] = {
      ConvShape{.n = 8, .c = 64, .h = 56, .w = 56, .k = 64, .r = 1, .s = 1},
      ConvShape{
          .n = 8, .c = 64, .h = 57, .w = 57, .k = 64, .r = 3, .s = 3, .stride_h = 2, .stride_w = 2},
      GemmShape{.m = 128, .n = 64, .k = 32}};
  for (const KernelShape& shape : shapes) {
    EXPECT_DOUBLE_EQ(least_flops(shape, Precision::kFp32, false).si(), kernel_flops(shape).si());
  }
}

// Fused causal attention may skip what the mask removes; scores that are stored are all computed.
TEST(LeastArithmetic, OfCausalAttentionLeavesOutTheMaskedHalf) {
  const WorkloadGraph plain = graph_of("gpt2");
  const WorkloadGraph fused = with_fused_attention(graph_of("gpt2"));
  EXPECT_DOUBLE_EQ(least_forward_flops(plain, Precision::kFp16, true).si(),
                   plain.forward_flops().si());
  EXPECT_LT(least_forward_flops(fused, Precision::kFp16, true), fused.forward_flops());
}

}  // namespace
}  // namespace paceline
