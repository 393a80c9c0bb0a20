#include "model/graph/work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph/workload.h"

namespace paceline {
namespace {

using ::testing::ElementsAre;

// rows = 6 samples of 4 features to 5.
WorkloadGraph two_layers() {
  WorkloadBuilder b("two", 6);
  TensorId x = b.linear("a", b.input("x", {6, 4}), 5);
  x = b.linear("b", b.activate("s", x, Activation::kSigmoid), 3);
  b.cross_entropy("loss", x, b.integer_input("labels", {6}));
  return std::move(b).build();
}

TEST(Work, LinearRunsTheGemmsThatBlasIsCalledWith) {
  const WorkloadGraph graph = two_layers();
  const Op& second = graph.ops()[2];
  EXPECT_THAT(pass_kernels(graph, second, Pass::kForward),
              ElementsAre(KernelShape(GemmShape{.m = 3, .n = 6, .k = 5, .trans_a = true})));
  EXPECT_THAT(pass_kernels(graph, second, Pass::kDgrad),
              ElementsAre(KernelShape(GemmShape{.m = 5, .n = 6, .k = 3})));
  EXPECT_THAT(pass_kernels(graph, second, Pass::kWgrad),
              ElementsAre(KernelShape(GemmShape{.m = 5, .n = 3, .k = 6, .trans_b = true})));
}

TEST(Work, TheGradientIntoTheNetworksInputIsNotComputed) {
  const WorkloadGraph graph = two_layers();
  EXPECT_FALSE(needs_input_gradient(graph, graph.ops()[0]));
  EXPECT_TRUE(needs_input_gradient(graph, graph.ops()[2]));
  EXPECT_TRUE(pass_kernels(graph, graph.ops()[0], Pass::kDgrad).empty());
  // forward + wgrad of both layers, dgrad of the second only
  EXPECT_DOUBLE_EQ(graph.training_flops().si(), 2.0 * 6 * (2 * 4 * 5 + 3 * 5 * 3));
}

TEST(Work, SharedParametersAreCountedOnceAndStillGetAGradient) {
  WorkloadBuilder b("tied", 2);
  const TensorId x = b.embedding("tokens", b.integer_input("ids", {2, 7}), 11, 3);
  const TensorId logits = b.linear("head", x, 11, true);
  b.share_weight_with("tokens");
  b.cross_entropy("loss", logits, b.integer_input("targets", {2, 7}));
  const WorkloadGraph graph = std::move(b).build();
  EXPECT_EQ(graph.parameters(), 33 + 11);
  EXPECT_EQ(graph.parameter_tensors(), 2);
  EXPECT_EQ(pass_kernels(graph, graph.ops()[1], Pass::kWgrad).size(), 1u);
}

TEST(Work, FrozenParametersAreNotTrained) {
  WorkloadBuilder b("frozen", 2);
  TensorId x = b.linear("a", b.input("x", {2, 4}), 4);
  b.freeze();
  x = b.linear("b", x, 4);
  const WorkloadGraph graph = std::move(b).build();
  EXPECT_EQ(graph.parameters(), 20);
  EXPECT_EQ(graph.all_parameters(), 40);
  EXPECT_TRUE(pass_kernels(graph, graph.ops()[0], Pass::kWgrad).empty());
  EXPECT_EQ(saved_bytes(graph, graph.ops()[0]), Bytes(0));
}

// Every transposition of a product and its two gradients does the same work, and the gradients have
// the size of the stored operands.
TEST(Work, MatmulGradientsHaveTheSizeOfTheirOperands) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      WorkloadBuilder b("mm", 2);
      const std::int64_t m = 3, n = 5, k = 7;
      const auto stored = [](bool transposed, std::int64_t rows, std::int64_t columns) {
        return transposed ? WorkloadBuilder::Dims{2, columns, rows}
                          : WorkloadBuilder::Dims{2, rows, columns};
      };
      b.matmul("mm", b.parameter("a", stored(ta, m, k)), b.parameter("b", stored(tb, k, n)), ta,
               tb);
      const WorkloadGraph graph = std::move(b).build();
      const auto gradients = pass_kernels(graph, graph.ops()[2], Pass::kDgrad);
      ASSERT_EQ(gradients.size(), 2u);
      const auto& a = std::get<GemmShape>(gradients[0]);
      const auto& other = std::get<GemmShape>(gradients[1]);
      // Column-major m x n is the stored row-major n x m.
      EXPECT_EQ((std::vector{a.n, a.m}), (ta ? std::vector{k, m} : std::vector{m, k}));
      EXPECT_EQ((std::vector{other.n, other.m}), (tb ? std::vector{n, k} : std::vector{k, n}));
      EXPECT_EQ(kernel_flops(a), Flops(2.0 * 2 * m * n * k));
      EXPECT_EQ(kernel_flops(other), Flops(2.0 * 2 * m * n * k));
    }
  }
}

TEST(Work, ARecurrentLayerHasOneGemmPerStepForItsState) {
  WorkloadBuilder b("rnn", 3);
  b.rnn("lstm", b.input("x", {5, 3, 8}), {.hidden = 4, .layers = 2});
  const WorkloadGraph graph = std::move(b).build();
  EXPECT_EQ(pass_kernels(graph, graph.ops()[0], Pass::kForward).size(), 2u * (1 + 5));
  // The first layer's input needs no gradient.
  EXPECT_EQ(pass_kernels(graph, graph.ops()[0], Pass::kDgrad).size(), 2u * 5 + 1);
  EXPECT_EQ(pass_kernels(graph, graph.ops()[0], Pass::kWgrad).size(), 4u);
  // 2 g H (I + H) B T
  EXPECT_DOUBLE_EQ(graph.forward_flops().si(), 2.0 * 4 * 4 * ((8 + 4) + (4 + 4)) * 3 * 5);
}

TEST(Work, ATransposedConvolutionIsTheGradientOfTheOneThatLeadsBack) {
  WorkloadBuilder b("up", 2);
  TensorId x = b.input("x", {2, 8, 4, 4});
  x = b.add_op(
      "up",
      ConvTranspose2d{.in_channels = 8, .out_channels = 6, .kernel = 4, .stride = 2, .pad = 1},
      {x});
  EXPECT_THAT(b.shape(x).dims, ElementsAre(2, 6, 8, 8));
  const WorkloadGraph graph = std::move(b).build();
  const auto kernels = pass_kernels(graph, graph.ops()[0], Pass::kForward);
  const auto& conv = std::get<ConvShape>(kernels.at(0));
  EXPECT_EQ(conv.pass, Pass::kDgrad);
  EXPECT_EQ(conv.output_h(), 4);
  // Every input element meets every weight of its channel once.
  EXPECT_EQ(graph.forward_flops(), Flops(2.0 * 2 * 4 * 4 * 8 * 6 * 16));
}

TEST(Work, WhatIsSavedFollowsTheDerivatives) {
  WorkloadBuilder b("saved", 2);
  TensorId x = b.input("x", {2, 3, 8, 8});                            // 384 values
  x = b.conv("conv", x, {.out_channels = 4, .kernel = 3, .pad = 1});  // keeps its input
  x = b.batch_norm("bn", x);                                          // input, 2 per channel
  x = b.relu("relu", x);                                              // its output, in place
  x = b.max_pool("pool", x, {.kernel = 2, .stride = 2});              // input and indices
  x = b.dropout("drop", x, 0.5);                                      // one byte per element
  b.loss("loss", LossKind::kMean, {x});
  const WorkloadGraph graph = std::move(b).build();
  EXPECT_EQ(saved_bytes(graph, graph.ops()[0]), Bytes(4.0 * 384));
  EXPECT_EQ(saved_bytes(graph, graph.ops()[1]), Bytes(4.0 * 512 + 4 * 8));
  EXPECT_EQ(saved_bytes(graph, graph.ops()[2]), Bytes(4.0 * 512));
  EXPECT_EQ(saved_bytes(graph, graph.ops()[3]), Bytes(4.0 * 512 + 8 * 128));
  EXPECT_EQ(saved_bytes(graph, graph.ops()[4]), Bytes(128));
  // relu works in the memory of the normalisation's output, which pooling keeps as well: once.
  EXPECT_EQ(graph.saved_bytes(),
            Bytes(4.0 * 384 + (4.0 * 512 + 4 * 8) + 4.0 * 512 + 8 * 128 + 128));
}

}  // namespace
}  // namespace paceline
