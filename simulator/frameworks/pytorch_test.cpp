// What PyTorch 1.13.1 was seen to execute (docs/models/pytorch-cpu.md): calls per iteration counted
// in BLAS, oneDNN and profiler traces of the recorder's networks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "model/graph/workload.h"
#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/pytorch/issuer.h"

namespace paceline {
namespace {

IssuedIteration issue(const std::string& model, std::int64_t batch, int threads) {
  const WorkloadGraph graph = build_workload(workload_registry(), model, {.batch = batch});
  return framework_registry().make("pytorch")->issue(graph, {.threads = threads}, {});
}

std::map<std::string, std::int64_t> calls_of(const IssuedIteration& issued) {
  std::map<std::string, std::int64_t> calls;
  for (const auto* list : {&issued.begin, &issued.micro_batch, &issued.update}) {
    for (const IssuedCall& call : *list) {
      if (call.kernel) calls[call.kernel->implementation] += call.repeat;
    }
  }
  return calls;
}

std::int64_t activation_reorders(const std::map<std::string, std::int64_t>& calls) {
  return calls.at("onednn.reorder.to_blocked") + calls.at("onednn.reorder.from_blocked");
}
std::int64_t weight_reorders(const std::map<std::string, std::int64_t>& calls) {
  return calls.at("onednn.reorder.weights_to_blocked") +
         calls.at("onednn.reorder.weights_from_blocked");
}

std::vector<std::string> gemms_of(const IssuedIteration& issued) {
  std::vector<std::string> out;
  for (const IssuedCall& call : issued.micro_batch) {
    if (call.kernel && call.kernel->implementation == "openblas.sgemm") {
      out.push_back(to_string(call.kernel->shape));
    }
  }
  return out;
}

TEST(PyTorch, LinearLayersBecomeTheMatrixProductsSeenInATrace) {
  EXPECT_THAT(
      gemms_of(issue("fcn-r", 64, 1)),
      testing::ElementsAre("gemm TN 2048x64x784", "gemm TN 4096x64x2048", "gemm TN 1024x64x4096",
                           "gemm TN 10x64x1024", "gemm NN 1024x64x10", "gemm NT 1024x10x64",
                           "gemm NN 4096x64x1024", "gemm NT 4096x1024x64", "gemm NN 2048x64x4096",
                           "gemm NT 2048x4096x64", "gemm NT 784x2048x64"));
}

TEST(PyTorch, EveryParameterIsZeroedAccumulatedAndUpdated) {
  const auto calls = calls_of(issue("fcn-r", 64, 1));
  EXPECT_EQ(calls.at("aten.fill"), 8 + 1);  // and the gradient of the loss
  EXPECT_EQ(calls.at("aten.add_"), 8 + 8);
}

// ResNet-50: 53 convolutions, the first without an input gradient and without a reorder of its
// 3-channel input. At one thread and fewer than 16 images the 33 pointwise ones of stride 1 run as
// one product per image: 33 x 3 x 4, and 3 of the last Linear.
TEST(PyTorch, ConvolutionsRunDirectlyOrPerImageAsSeenInATrace) {
  const auto direct = calls_of(issue("resnet50", 16, 1));
  EXPECT_EQ(direct.at("onednn.conv"), 53 + 52 + 53);
  EXPECT_EQ(activation_reorders(direct), 314);
  EXPECT_EQ(weight_reorders(direct), 158);
  EXPECT_EQ(direct.at("openblas.sgemm"), 3);
  EXPECT_EQ(calls_of(issue("resnet50", 4, 2)).at("openblas.sgemm"), 3);

  const auto per_image = calls_of(issue("resnet50", 4, 1));
  EXPECT_EQ(per_image.at("openblas.sgemm"), 399);
  EXPECT_EQ(per_image.at("onednn.conv"), 20 + 19 + 20);
  EXPECT_EQ(activation_reorders(per_image), 116);
  EXPECT_EQ(weight_reorders(per_image), 59);
}

// 161 parameters accumulated and updated and 16 residual additions in place; the gradients of the
// 16 residual joins are added into new tensors.
TEST(PyTorch, ResidualJoinsAddGradientsOnce) {
  const auto calls = calls_of(issue("resnet50", 16, 1));
  EXPECT_EQ(calls.at("aten.add_"), 161 + 161 + 16);
  EXPECT_EQ(calls.at("aten.add"), 16);
  EXPECT_EQ(calls.at("aten.batch_norm"), 53);
  EXPECT_EQ(calls.at("aten.relu_backward"), 49);
}

// mse_loss makes the squared differences and reduces them; its backward zeroes a gradient and
// fills it in one pass.
TEST(PyTorch, MeanSquaredErrorIsThreePassesAndAReduction) {
  WorkloadBuilder b("regression", 4);
  const TensorId x = b.linear("head", b.input("x", {4, 16}), 8);
  b.loss("loss", LossKind::kMeanSquaredError, {x, b.input("target", {4, 8})});
  const WorkloadGraph graph = std::move(b).build();
  const auto calls =
      calls_of(framework_registry().make("pytorch")->issue(graph, {.threads = 1}, {}));
  EXPECT_EQ(calls.at("aten.mul"), 2);
  EXPECT_EQ(calls.at("aten.sum"), 1 + 1);   // and the gradient of the bias
  EXPECT_EQ(calls.at("aten.fill"), 2 + 1);  // and two parameter gradients
}

TEST(PyTorch, AlexNetMatchesItsTrace) {
  const auto calls = calls_of(issue("alexnet", 16, 1));
  EXPECT_EQ(calls.at("openblas.sgemm"), 9);
  EXPECT_EQ(calls.at("onednn.conv"), 5 + 4 + 5);
  EXPECT_EQ(activation_reorders(calls), 26);
  EXPECT_EQ(calls.at("aten.max_pool"), 3);
  EXPECT_EQ(calls.at("aten.bernoulli"), 2);
  EXPECT_EQ(calls.at("aten.relu_"), 7);
}

// Two layers of 32 steps: one input product and 32 recurrent ones forward; 31 and 32 backward, and
// two for the input; three of the decoder.
TEST(PyTorch, LstmRunsStepByStep) {
  const auto calls = calls_of(issue("lstm-ptb", 32, 1));
  EXPECT_EQ(calls.at("openblas.sgemm"), 2 * (1 + 32 + 31 + 32 + 2) + 3);
  EXPECT_EQ(calls.at("aten.sigmoid"), 192);
  EXPECT_EQ(calls.at("aten.tanh"), 128);
  EXPECT_EQ(calls.at("aten.sum"), 67);
  EXPECT_EQ(calls.at("aten.add"), 248);
  EXPECT_EQ(calls.at("aten.cat"), 70 - 2);  // the two stacks of final states are left out
}

// 17 Linear layers of which the first needs its input gradient too; four layers of attention with
// 8 x 4 heads: 32 matrices times 6 products.
TEST(PyTorch, AttentionRunsOneProductPerHead) {
  const auto calls = calls_of(issue("transformer-tiny", 8, 1));
  EXPECT_EQ(calls.at("openblas.sgemm"), 17 * 3 + 4 * 6 * 32);
  EXPECT_EQ(calls.at("aten.softmax"), 4);
  EXPECT_EQ(calls.at("aten.layer_norm"), 8);
  EXPECT_EQ(calls.at("aten.cat"), 4);
  // 17 biases; per layer q, k, v and the merge forward, two gradients backward.
  EXPECT_EQ(calls.at("aten.copy"), 17 + 4 * 3 + 4 * 2);
  EXPECT_EQ(calls.at("aten.copy_transposed"), 4);
  EXPECT_EQ(calls.at("aten.add"), 9 + 8);
}

// Aggregation starts where a gradient is final, so each must be, once, during backward.
TEST(PyTorch, EveryGradientIsFinalExactlyOnceInBackward) {
  for (const char* model : {"resnet50", "lstm-ptb", "transformer-tiny", "alexnet"}) {
    const WorkloadGraph graph = build_workload(workload_registry(), model, {.batch = 2});
    const IssuedIteration issued = framework_registry().make("pytorch")->issue(graph, {}, {});
    std::vector<int> times(issued.gradients.size());
    for (const IssuedCall& call : issued.micro_batch) {
      if (call.gradient == PlannedCall::kNoGradient) continue;
      EXPECT_EQ(call.phase, Phase::kBackward);
      EXPECT_EQ(issued.gradients.at(call.gradient).layer, call.layer);
      ++times[call.gradient];
    }
    EXPECT_THAT(times, testing::Each(1)) << model;
  }
}

// ResNet-50 has 161 trainable tensors of 25,557,032 elements.
TEST(PyTorch, GradientsAreTheTrainableTensorsOfTheNetwork) {
  const WorkloadGraph graph = build_workload(workload_registry(), "resnet50", {.batch = 2});
  std::int64_t elements = 0;
  for (const GradientTensor& gradient : gradient_tensors(graph)) elements += gradient.elements;
  EXPECT_EQ(gradient_tensors(graph).size(), 161U);
  EXPECT_EQ(elements, 25'557'032);
}

TEST(PyTorch, RefusesLayersItHasNoImplementationFor) {
  WorkloadBuilder b("net", 2);
  const TensorId x = b.input("x", {2, 8});
  const TensorId y = b.activate("silu", b.linear("fc", x, 4), Activation::kSilu);
  b.cross_entropy("loss", y, b.integer_input("labels", {2}));
  const WorkloadGraph graph = std::move(b).build();
  EXPECT_THROW(framework_registry().make("pytorch")->issue(graph, {.threads = 1}, {}), UsageError);
}

// Recomputation changes time as well: every forward operation of a block runs twice.
TEST(PyTorch, RecomputedLayersAreIssuedAgain) {
  const auto framework = framework_registry().make("pytorch");
  const WorkloadGraph plain = build_workload(workload_registry(), "transformer-tiny", {.batch = 2});
  const WorkloadGraph full =
      framework->prepare(plain, Precision::kFp32, nullptr, {{"recompute", "full"}});
  std::size_t again = 0;
  for (const Op& op : full.ops()) again += op.recomputed ? 1 : 0;
  EXPECT_GT(again, 40U);
  const auto kernels = [&](const WorkloadGraph& graph) {
    std::int64_t count = 0;
    for (const IssuedCall& call : framework->issue(graph, {.threads = 1}, {}).micro_batch) {
      count += call.kernel ? call.repeat : 0;
    }
    return count;
  };
  EXPECT_GT(kernels(full), kernels(plain));
}

}  // namespace
}  // namespace paceline
