// What a framework issues on a GPU: laws that hold for every network of the catalog, and kernels
// that a trace of PyTorch shows.
#include "simulator/frameworks/gpu/gpu_issuer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/data_directory.h"
#include "core/error.h"
#include "model/graph/workload.h"
#include "model/hardware/device_catalog.h"
#include "simulator/frameworks/record/framework_record.h"

namespace paceline {
namespace {

const DeviceSpec& a100() {
  static const DeviceCatalog catalog = DeviceCatalog::shipped();
  return catalog.at("a100-sxm-80g");
}

struct Issued {
  WorkloadGraph graph;
  IssuedIteration iteration;
};

Issued issue(const std::string& model, std::int64_t batch, Precision precision = Precision::kFp32,
             const FrameworkSettings& chosen = {}, const DeviceSpec& device = a100()) {
  const auto pytorch = framework_registry().make("pytorch");
  const FrameworkSettings settings = resolve_settings(pytorch->options(DeviceKind::kGpu), chosen);
  WorkloadGraph graph = pytorch->prepare(
      build_workload(workload_registry(), model, {.batch = batch}), precision, &device, settings);
  ExecutionContext context;
  context.device = &device;
  IssuedIteration iteration = pytorch->issue(graph, context, settings);
  return {std::move(graph), std::move(iteration)};
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

double flops_of(const IssuedIteration& issued) {
  double flops = 0;
  for (const IssuedCall& call : issued.micro_batch) {
    if (call.kernel) {
      flops += static_cast<double>(call.repeat) * kernel_flops(call.kernel->shape).si();
    }
  }
  return flops;
}

// The arithmetic of an iteration is that of the mathematics, whoever issues it.
TEST(GpuIssuer, IssuesTheArithmeticOfEveryNetworkOfTheCatalog) {
  const WorkloadRegistry workloads = workload_registry();
  for (const auto& entry : workloads.entries()) {
    const Issued issued = issue(entry.name, 2);
    const double expected = issued.graph.training_flops().si();
    EXPECT_NEAR(flops_of(issued.iteration) / expected, 1, 0.02) << entry.name;
  }
}

// 161 parameter tensors are updated by two kernels of at most a hundred tensors each.
TEST(GpuIssuer, ResNet50IsTheKernelsOfATrace) {
  const auto calls = calls_of(issue("resnet50", 8).iteration);
  EXPECT_EQ(calls.at("cudnn.convolution"), 53 + 52 + 53);  // no gradient of the image
  EXPECT_EQ(calls.at("batch_norm"), 53);
  EXPECT_EQ(calls.at("batch_norm_backward"), 53);
  EXPECT_EQ(calls.at("activation"), 49);
  EXPECT_EQ(calls.at("sgd"), 2);
  EXPECT_FALSE(calls.contains("fill_gradients"));
}

TEST(GpuIssuer, AutocastConvertsEveryWeightThatAProductUses) {
  const auto wide = calls_of(issue("resnet50", 8).iteration);
  const auto narrow = calls_of(issue("resnet50", 8, Precision::kBf16).iteration);
  EXPECT_FALSE(wide.contains("cast"));
  EXPECT_GE(narrow.at("cast"), 2 * 54);  // forward, and the gradient back
  const auto uniform =
      calls_of(issue("resnet50", 8, Precision::kBf16, {{"mixed", "uniform"}}).iteration);
  EXPECT_EQ(uniform.at("cast"), 2);  // master weights to those in use
}

TEST(GpuIssuer, MatrixOperationsRunInTheAskedPrecisionAndTheRestInItsStorage) {
  for (const IssuedCall& call : issue("resnet50", 8, Precision::kFp16).iteration.micro_batch) {
    if (!call.kernel || std::holds_alternative<StreamShape>(call.kernel->shape)) continue;
    EXPECT_EQ(call.kernel->precision, Precision::kFp16);
  }
}

// Half the bytes of the activations, so elementwise kernels move about half.
TEST(GpuIssuer, SixteenBitActivationsHalveTheTrafficOfElementwiseKernels) {
  const auto traffic = [](const IssuedIteration& issued) {
    double bytes = 0;
    for (const IssuedCall& call : issued.micro_batch) {
      if (call.kernel && call.kernel->implementation == "activation") {
        bytes += kernel_bytes(call.kernel->shape, call.kernel->precision).si();
      }
    }
    return bytes;
  };
  EXPECT_NEAR(traffic(issue("resnet50", 8, Precision::kBf16).iteration) /
                  traffic(issue("resnet50", 8).iteration),
              0.5, 1e-9);
}

// Eager PyTorch has no kernel for these: they are the operations of their modules, of which those
// that convert are not there in fp32. Compiled, they are one kernel.
TEST(GpuIssuer, RmsNormsAndRotationsAreTheOperationsOfTheirModules) {
  constexpr int kLayers = 32, kNorms = 2 * kLayers + 1;  // Llama 2 7B
  const auto kernels = [](Precision precision, const FrameworkSettings& chosen) {
    FrameworkSettings settings = chosen;
    settings["phases"] = "forward-backward";
    return calls_of(issue("llama2-7b", 1, precision, settings).iteration);
  };
  const auto wide = kernels(Precision::kFp32, {});
  EXPECT_EQ(wide.at("rotary"), 5 * 2 * kLayers);  // of queries and of keys
  EXPECT_EQ(wide.at("rms_norm"), 4 * kNorms);
  const auto narrow = kernels(Precision::kBf16, {{"mixed", "uniform"}});
  EXPECT_EQ(narrow.at("rotary"), 5 * 2 * kLayers);
  EXPECT_EQ(narrow.at("rms_norm"), 6 * kNorms);
  const auto compiled = kernels(Precision::kBf16, {{"mixed", "uniform"}, {"compile", "on"}});
  EXPECT_FALSE(compiled.contains("rms_norm"));
  EXPECT_LE(compiled.contains("norm") ? compiled.at("norm") : 0, kNorms);
}

// Scores of 16 bits are converted for the loss, and its gradient back, which autocast does anyway.
TEST(GpuIssuer, TheLossIsComputedInFp32) {
  const auto bytes = [](const FrameworkSettings& settings, const char* name) {
    double sum = 0;
    for (const IssuedCall& call :
         issue("gpt2", 1, Precision::kBf16, settings).iteration.micro_batch) {
      if (!call.kernel || call.kernel->implementation != name) continue;
      sum += kernel_bytes(call.kernel->shape, call.kernel->precision).si();
    }
    return sum;
  };
  const FrameworkSettings uniform = {{"mixed", "uniform"}};
  EXPECT_EQ(bytes(uniform, "log_softmax"), bytes({}, "log_softmax"));
  EXPECT_EQ(bytes(uniform, "log_softmax_backward"), bytes({}, "log_softmax_backward"));
  EXPECT_GT(bytes(uniform, "loss_cast"), 0);
  EXPECT_EQ(bytes({}, "loss_cast"), 0);
}

// Scaled gradients are checked for overflow before the update; bf16 needs no scale.
TEST(GpuIssuer, OnlyFp16WaitsForTheOverflowCheck) {
  const auto waits = [](const IssuedIteration& issued) {
    std::size_t count = 0;
    for (const IssuedCall& call : issued.update) count += call.synchronizes ? 1 : 0;
    return count;
  };
  EXPECT_EQ(waits(issue("fcn-r", 64, Precision::kFp16).iteration), 1U);
  EXPECT_EQ(waits(issue("fcn-r", 64, Precision::kBf16).iteration), 0U);
}

TEST(GpuIssuer, FusedAttentionReplacesTheScores) {
  const auto fused = calls_of(issue("bert-large", 4, Precision::kBf16).iteration);
  const auto unfused =
      calls_of(issue("bert-large", 4, Precision::kBf16, {{"attention", "unfused"}}).iteration);
  EXPECT_EQ(fused.at("flash.attention"), 2 * 24);
  EXPECT_FALSE(unfused.contains("flash.attention"));
  EXPECT_EQ(unfused.at("softmax"), 24);
}

// FlashAttention needs Ampere or newer: on a V100 16-bit attention is what it is in fp32.
TEST(GpuIssuer, AttentionIsFusedOnlyWhereTheFrameworkHasTheKernel) {
  const auto names = [](const char* name, const FrameworkSettings& settings) {
    const DeviceSpec device = DeviceCatalog::shipped_device(name);
    return calls_of(issue("bert-large", 4, Precision::kFp16, settings, device).iteration);
  };
  EXPECT_TRUE(names("a100-sxm-40g", {}).contains("flash.attention"));
  for (const char* device : {"v100-sxm2-16g", "t4"}) {
    EXPECT_FALSE(names(device, {}).contains("flash.attention")) << device;
    EXPECT_EQ(names(device, {}), names(device, {{"attention", "unfused"}})) << device;
    EXPECT_THROW(names(device, {{"attention", "fused"}}), UsageError) << device;
  }
}

// A list of names in a record is of no use if one of them is no architecture.
TEST(GpuIssuer, FusedAttentionIsOfArchitecturesThatExist) {
  const FrameworkRecord record =
      read_framework_record(data_directory() / "model/catalog/frameworks/pytorch.json");
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  for (const std::string& architecture : record.gpu->fused_attention) {
    EXPECT_TRUE(std::ranges::any_of(catalog.devices(), [&](const DeviceSpec& device) {
      return device.architecture == architecture;
    })) << architecture;
  }
}

TEST(GpuIssuer, AnUpdateRuleIsAsManyPassesAsItsRecordSays) {
  const auto kernels = [](const char* optimizer, const char* style) {
    const Issued issued = issue("fcn-r", 64, Precision::kFp32,
                                {{"optimizer", optimizer}, {"optimizer_style", style}});
    return calls_of(issued.iteration).at(optimizer);
  };
  EXPECT_EQ(kernels("adam", "fused"), 1);
  EXPECT_EQ(kernels("adam", "foreach"), 7);
  EXPECT_GT(kernels("adam", "loop"), 7);
}

// Aggregation starts where a gradient is final, so each must be, once, during backward.
TEST(GpuIssuer, EveryGradientIsFinalExactlyOnceInBackward) {
  const WorkloadRegistry workloads = workload_registry();
  for (const auto& entry : workloads.entries()) {
    const Issued issued = issue(entry.name, 2, Precision::kBf16);
    std::vector<int> times(issued.iteration.gradients.size());
    for (const IssuedCall& call : issued.iteration.micro_batch) {
      if (call.gradient == PlannedCall::kNoGradient) continue;
      EXPECT_EQ(call.phase, Phase::kBackward);
      EXPECT_EQ(issued.iteration.gradients.at(call.gradient).layer, call.layer);
      ++times[call.gradient];
    }
    EXPECT_THAT(times, testing::Each(1)) << entry.name;
  }
}

// A third of the arithmetic of training is forward, two thirds backward.
TEST(GpuIssuer, InferenceIsForwardWithoutDropoutAndLoss) {
  const Issued training = issue("bert-base", 4);
  const Issued forward = issue("bert-base", 4, Precision::kFp32, {{"phases", "forward"}});
  const Issued both = issue("bert-base", 4, Precision::kFp32, {{"phases", "forward-backward"}});
  EXPECT_NEAR(flops_of(forward.iteration) / flops_of(training.iteration), 1.0 / 3, 0.01);
  EXPECT_FALSE(calls_of(forward.iteration).contains("dropout"));
  EXPECT_TRUE(forward.iteration.update.empty());
  EXPECT_TRUE(both.iteration.update.empty());
  EXPECT_DOUBLE_EQ(flops_of(both.iteration), flops_of(training.iteration));
}

TEST(GpuIssuer, RefusesUnknownValuesAndMissingArithmetic) {
  EXPECT_THROW(issue("fcn-r", 64, Precision::kFp32, {{"optimizer", "adamm"}}), UsageError);
  EXPECT_THROW(issue("fcn-r", 64, Precision::kFp32, {{"graphs", "maybe"}}), UsageError);
  EXPECT_THROW(issue("fcn-r", 64, Precision::kFp8), UsageError);  // A100 has no fp8
}

}  // namespace
}  // namespace paceline
