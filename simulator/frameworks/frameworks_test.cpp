// Every registered framework on a GPU: laws that hold whatever its record says, and what its record
// must lead to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "core/error.h"
#include "model/graph/workload.h"
#include "model/hardware/device_catalog.h"
#include "simulator/device/training_device.h"
#include "simulator/frameworks/framework.h"
#include "simulator/report/prediction.h"

namespace paceline {
namespace {

using testing::HasSubstr;

const TrainingDevice& titan_x() {
  static const auto device = read_training_device("titan-x-maxwell", {});
  return *device;
}

Prediction predict(const std::string& framework, const std::string& model, std::int64_t batch,
                   std::map<std::string, std::string> options = {}) {
  Experiment e;
  e.model = model;
  e.batch = batch;
  e.device = "titan-x-maxwell";
  e.framework = framework;
  e.options = std::move(options);
  e.draws = 20;
  return Predictor().predict(e, titan_x());
}

double time_of(const std::string& framework, const std::string& model, std::int64_t batch,
               std::map<std::string, std::string> options = {}) {
  return predict(framework, model, batch, std::move(options)).report.iteration_time_s.median;
}

std::size_t launches(const IterationPlan& plan) {
  std::size_t count = 0;
  for (const auto* calls : {&plan.begin, &plan.micro_batch, &plan.update}) {
    for (const PlannedCall& call : *calls) {
      if (call.kernel != PlannedCall::kNoKernel) count += static_cast<std::size_t>(call.repeat);
    }
  }
  return count;
}

std::int64_t launches_of(const std::string& kernel, const IterationPlan& plan) {
  std::int64_t count = 0;
  for (const PlannedCall& call : plan.micro_batch) {
    if (call.kernel == PlannedCall::kNoKernel) continue;
    if (plan.kernels[call.kernel].kernel.implementation == kernel) count += call.repeat;
  }
  return count;
}

class EveryFramework : public testing::TestWithParam<std::string> {};

TEST_P(EveryFramework, SaysWhereItsFactsComeFrom) {
  const auto framework = framework_registry().make(GetParam());
  const FrameworkInfo info = framework->info();
  EXPECT_FALSE(info.version.empty());
  EXPECT_FALSE(info.default_strategy.empty());
  EXPECT_FALSE(info.sources.empty());
  ASSERT_TRUE(info.gpu_host.has_value());
  EXPECT_FALSE(info.gpu_host->source.empty());
  for (const FrameworkOption& option : framework->options(DeviceKind::kGpu)) {
    EXPECT_FALSE(option.summary.empty()) << option.name;
  }
}

// Whatever kernels a layer becomes, the arithmetic is that of the network.
TEST_P(EveryFramework, DoesTheArithmeticOfTheNetwork) {
  for (const std::string model : {"fcn-r", "alexnet", "resnet50", "inception-v3"}) {
    const Prediction prediction = predict(GetParam(), model, 4);
    double flops = 0;
    for (const PlannedCall& call : prediction.plan.micro_batch) {
      if (call.kernel == PlannedCall::kNoKernel) continue;
      flops += static_cast<double>(call.repeat) *
               kernel_flops(prediction.plan.kernels[call.kernel].kernel.shape).si();
    }
    EXPECT_NEAR(flops, prediction.report.flops_per_iteration.si(), 0.001 * flops) << model;
  }
}

// More samples take longer, but no longer than each by itself.
TEST_P(EveryFramework, GrowsWithTheBatchAtMostInProportion) {
  for (const std::string model : {"fcn-r", "alexnet"}) {
    const double small = time_of(GetParam(), model, 16);
    const double large = time_of(GetParam(), model, 64);
    EXPECT_GE(large, small) << model;
    EXPECT_LE(large, 4.2 * small) << model;
  }
}

TEST_P(EveryFramework, MarksTheGradientOfEveryParameterOnce) {
  const Prediction prediction = predict(GetParam(), "resnet50", 4);
  std::vector<int> marks(prediction.plan.gradients.size(), 0);
  for (const PlannedCall& call : prediction.plan.micro_batch) {
    if (call.gradient != PlannedCall::kNoGradient) ++marks.at(call.gradient);
  }
  EXPECT_THAT(marks, testing::Each(1));
  EXPECT_EQ(static_cast<std::int64_t>(marks.size()), prediction.graph.parameter_tensors());
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryFramework, testing::ValuesIn(framework_registry().names()),
                         [](const auto& test) {
                           return std::regex_replace(test.param, std::regex("-"), "_");
                         });

// One library call against thousands of small kernels.
TEST(Recurrence, StepByStepLaunchesHundredsOfTimesMoreKernels) {
  const Prediction fused = predict("mxnet", "lstm-ptb", 128, {{"rnn", "fused"}});
  const Prediction unrolled = predict("mxnet", "lstm-ptb", 128);
  EXPECT_GT(launches(unrolled.plan), 50 * launches(fused.plan));
  EXPECT_GT(unrolled.report.iteration_time_s.median, 2 * fused.report.iteration_time_s.median);
}

// The input's product once for all steps leaves half of the small products.
TEST(Recurrence, HoistingTheInputsProductSavesKernels) {
  EXPECT_LT(launches(predict("cntk", "lstm-ptb", 128).plan),
            launches(predict("cntk", "lstm-ptb", 128, {{"rnn", "two-products"}}).plan));
}

// Rows that the processor gathers go to the device and their gradients back: two copies more, and
// no kernels that read the table. That is why TensorFlow's cell by cell LSTM is behind CNTK's.
TEST(Layers, EmbeddingsOfTheProcessorCostTwoCopies) {
  const double host = time_of("tensorflow", "lstm-ptb", 128);
  const double device = time_of("tensorflow", "lstm-ptb", 128, {{"embedding", "device"}});
  const double rows = 128 * 32 * 256 * 4;
  const double copies = 2 * (100e-6 + rows / 2.5e9);
  EXPECT_GT(host, device + 0.5 * copies);
  EXPECT_LT(host, device + 1.1 * copies);
  EXPECT_LT(time_of("cntk", "lstm-ptb", 128), 0.97 * host);
}

// A trace of AlexNet's gradients shows 40 transposes of images and 14 of filters: three around each
// of the convolutions' 14 calls (none for the gradient of the batch) and four around the gradient
// of each of three max poolings. Average pooling has kernels of its own for channels-last images.
TEST(Layers, TensorFlowTransposesImagesAroundConvolutionsAndGradientsOfMaxPooling) {
  EXPECT_EQ(launches_of("transpose", predict("tensorflow", "alexnet", 16).plan), 14 + 28 + 12);
  EXPECT_EQ(launches_of("transpose", predict("tensorflow2", "alexnet", 16).plan), 0);
  const IterationPlan resnet = predict("tensorflow", "resnet50", 4).plan;
  EXPECT_EQ(launches_of("transpose", resnet), 3 * (3 * 53 - 1) + 4) << "one max pooling";
}

// CNTK zeroes every gradient and adds to it, MXNet writes it: two passes more over each image.
TEST(Layers, CntkSumsGradientsIntoZeros) {
  const Prediction cntk = predict("cntk", "resnet50", 16);
  const Prediction mxnet = predict("mxnet", "resnet50", 16);
  EXPECT_GT(cntk.report.phases.backward, 1.05 * mxnet.report.phases.backward);
  EXPECT_LT(cntk.report.phases.forward, 1.05 * mxnet.report.phases.forward);
}

TEST(Recurrence, CaffeHasNoRecurrentLayer) {
  try {
    predict("caffe", "lstm-ptb", 128);
    FAIL() << "expected a refusal";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("recurrent"));
  }
}

// Batch normalisation in several passes costs what a fused kernel does not.
TEST(Layers, UnfusedNormalisationSlowsResNet) {
  EXPECT_GT(time_of("caffe", "resnet50", 16), 1.3 * time_of("torch7", "resnet50", 16));
  EXPECT_GT(time_of("tensorflow", "resnet50", 16), 1.1 * time_of("torch7", "resnet50", 16));
}

// Without scratch memory there are no Winograd or FFT algorithms that need it.
TEST(Layers, LittleWorkspaceIsNeverFaster) {
  EXPECT_GE(time_of("torch7", "alexnet", 64, {{"workspace_limit", "0 B"}}),
            time_of("torch7", "alexnet", 64));
}

// A host that waits for every operation cannot hide its dispatches behind kernels.
TEST(Dispatch, WaitingForEveryOperationExposesTheHost) {
  const Report waits = predict("mxnet", "resnet50", 16).report;
  const Report ahead = predict("torch7", "resnet50", 16).report;
  EXPECT_GT(waits.breakdown.host, ahead.breakdown.host);
}

// MXNet whose engine queues runs the same kernels and waits less for the host.
TEST(Dispatch, QueuedOperationsHideTheHost) {
  const Prediction waits = predict("mxnet", "lstm-ptb", 128);
  const Prediction queued = predict("mxnet", "lstm-ptb", 128, {{"operations", "queued"}});
  EXPECT_EQ(launches(queued.plan), launches(waits.plan));
  EXPECT_LT(queued.report.breakdown.host, 0.5 * waits.report.breakdown.host);
  EXPECT_LT(queued.report.iteration_time_s.median, waits.report.iteration_time_s.median);
}

// What was several kernels is one: fewer launches, less traffic, less memory, the same arithmetic.
TEST(Compilation, NeverCostsMoreThanEagerExecution) {
  const std::pair<const char*, std::int64_t> models[] = {{"resnet50", 8},    {"gpt2", 1},
                                                         {"bert-base", 2},   {"mobilenet-v2", 8},
                                                         {"densenet121", 4}, {"t5-small", 2}};
  for (const auto& [model, batch] : models) {
    for (const std::string recompute : {"none", "full"}) {
      if (recompute == "full" && std::string(model) != "gpt2") continue;
      const Prediction eager = predict("pytorch", model, batch, {{"recompute", recompute}});
      const Prediction compiled =
          predict("pytorch", model, batch, {{"recompute", recompute}, {"compile", "on"}});
      EXPECT_LT(launches(compiled.plan), launches(eager.plan)) << model;
      EXPECT_LT(compiled.report.iteration_time_s.median, eager.report.iteration_time_s.median)
          << model;
      EXPECT_EQ(compiled.report.flops_per_iteration, eager.report.flops_per_iteration) << model;
      EXPECT_LE(compiled.report.memory.feature_maps, eager.report.memory.feature_maps) << model;
      // But for the slack: fewer tensors can lie less well in the allocator's segments.
      const auto in_use = [](const Prediction& p) {
        return p.report.memory.peak() - p.report.memory.slack;
      };
      EXPECT_LE(in_use(compiled), in_use(eager)) << model;
      EXPECT_EQ(compiled.plan.gradients.size(), eager.plan.gradients.size()) << model;
    }
  }
}

TEST(Compilation, MarksTheGradientOfEveryParameterOnce) {
  const Prediction prediction = predict("pytorch", "resnet50", 4, {{"compile", "on"}});
  std::vector<int> marks(prediction.plan.gradients.size(), 0);
  for (const PlannedCall& call : prediction.plan.micro_batch) {
    if (call.gradient != PlannedCall::kNoGradient) ++marks.at(call.gradient);
  }
  EXPECT_THAT(marks, testing::Each(1));
}

TEST(Compilation, IsRefusedWhereNothingCanBeFused) {
  try {
    predict("pytorch", "fcn-r", 4, {{"compile", "on"}});
    FAIL() << "expected a refusal";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("compile=on has no effect"));
  }
}

// The feed of a batch is part of the iteration.
TEST(Input, FeedingABatchTakesItsTime) {
  const double images = 16.0 * 3 * 224 * 224 * 4;
  const Report fed = predict("tensorflow", "resnet50", 16).report;
  EXPECT_GT(fed.breakdown.host.si(), images / 2.6e9);
}

}  // namespace
}  // namespace paceline
