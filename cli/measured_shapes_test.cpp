// What is measured for the fits must not contain what is validated on: no matrix or convolution of
// a recorded network is a benchmark shape.
#include <gtest/gtest.h>

#include <set>

#include "microbench/gpu/gpu_plugin.h"
#include "microbench/measure.h"
#include "model/graph/work.h"
#include "model/graph/workload.h"
#include "model/parameters/parameter_set.h"
#include "simulator/device/kernel_of.h"
#include "simulator/frameworks/framework.h"

namespace paceline {
namespace {

struct Network {
  const char* name;
  std::vector<std::int64_t> batches;
};
// The plan "validation" of validation/recorders/plan.py.
const Network kValidated[] = {{"fcn-r", {64, 256, 1024}}, {"fcn-s", {16, 64, 256}},
                              {"alexnet", {8, 16, 32}},   {"resnet50", {4, 8, 16}},
                              {"lstm-ptb", {16, 32, 64}}, {"transformer-tiny", {4, 8, 16}}};

std::set<std::string> validated_shapes() {
  std::set<std::string> shapes;
  const auto framework = framework_registry().make("pytorch");
  for (const Network& network : kValidated) {
    for (const std::int64_t batch : network.batches) {
      for (const int threads : {1, 2}) {
        ExecutionContext context;
        context.threads = threads;
        const WorkloadGraph graph =
            build_workload(workload_registry(), network.name, {.batch = batch});
        for (const IssuedCall& call : framework->issue(graph, context, {}).micro_batch) {
          const bool counts =
              call.kernel && !std::holds_alternative<StreamShape>(call.kernel->shape);
          if (counts) shapes.insert(fitted_shape_text(*call.kernel));
        }
      }
    }
  }
  return shapes;
}

TEST(MeasuredShapes, AreNoneOfTheShapesThatAreValidatedOn) {
  const std::set<std::string> validated = validated_shapes();
  EXPECT_GT(validated.size(), 100U);
  std::size_t checked = 0;
  for (const bool quick : {false, true}) {
    for (const DesignPoint& point : measurement_design(quick)) {
      Measurement measurement;
      measurement.benchmark = point.benchmark;
      measurement.axes = point.axes;
      const std::optional<Kernel> kernel = kernel_of(measurement);
      if (!kernel || std::holds_alternative<StreamShape>(kernel->shape)) continue;
      const std::string text = fitted_shape_text(*kernel);
      EXPECT_FALSE(validated.contains(text)) << text;
      ++checked;
    }
  }
  if (checked == 0) GTEST_SKIP() << "built without the kernels that are measured";
}

// The full plan on one GPU of capability 9.0, without results.
std::vector<Measurement> planned_on_gpu(const GpuBenchmarkRegistry& registry) {
  GpuInfo gpu;
  gpu.capability_major = 9;
  gpu.l2_cache = Bytes(50e6);
  std::vector<Measurement> out;
  for (const auto& entry : registry.entries()) {
    for (const Axes& axes : entry.benchmark->design(GpuDesign::kFull, gpu)) {
      out.emplace_back();
      out.back().benchmark = entry.name;
      out.back().axes = axes;
    }
  }
  return out;
}

// The same of the GPU benchmarks, for the batches of microbench/campaign.sh's training runs.
TEST(MeasuredGpuShapes, AreNoneOfTheShapesThatAreValidatedOn) {
  GpuBenchmarkRegistry registry;
  try {
    gpu_plugin().register_benchmarks(registry);
  } catch (const MeasurementError& error) {
    GTEST_SKIP() << error.what();
  }
  std::set<std::string> layers;  // forward convolutions and products, whatever the batch
  for (const char* name : {"resnet50", "alexnet", "vgg16"}) {
    for (const std::int64_t batch : {32, 96, 128, 512}) {
      const WorkloadGraph graph = build_workload(workload_registry(), name, {.batch = batch});
      for (const Op& op : graph.ops()) {
        const auto* conv = std::get_if<Conv2d>(&op.attributes);
        if (conv == nullptr) continue;
        const TensorShape& x = graph.shape(op.inputs.front());
        layers.insert(to_string(KernelShape(ConvShape{.n = batch,
                                                      .c = conv->in_channels,
                                                      .h = x.dims[2],
                                                      .w = x.dims[3],
                                                      .k = conv->out_channels,
                                                      .r = conv->kernel_h,
                                                      .s = conv->kernel_w,
                                                      .pad_h = conv->pad_h,
                                                      .pad_w = conv->pad_w,
                                                      .stride_h = conv->stride_h,
                                                      .stride_w = conv->stride_w,
                                                      .groups = conv->groups})));
      }
    }
  }
  EXPECT_GT(layers.size(), 80U);
  std::size_t checked = 0;
  for (const Measurement& planned : planned_on_gpu(registry)) {
    const std::optional<Kernel> kernel = kernel_of(planned);
    if (!kernel) continue;
    ++checked;
    const auto* conv = std::get_if<ConvShape>(&kernel->shape);
    if (conv == nullptr) continue;
    ConvShape layer = *conv;  // in whatever pass and layout
    layer.pass = Pass::kForward;
    layer.channels_last = false;
    EXPECT_FALSE(layers.contains(to_string(KernelShape(layer)))) << to_string(kernel->shape);
  }
  EXPECT_GT(checked, 100U);
}

// The plans of validation/recorders/gpu/gpu_plan.py.
struct GpuNetwork {
  const char* name;
  std::vector<std::int64_t> batches;
  std::int64_t seq;  // 0: has none
};
const GpuNetwork kRecordedOnGpus[] = {{"resnet50", {32, 128}, 0},  {"alexnet", {128, 512}, 0},
                                      {"vgg16", {32, 96}, 0},      {"lstm-ptb", {64, 256}, 32},
                                      {"bert-base", {8, 32}, 128}, {"gpt2", {4, 16}, 512},
                                      {"fcn-r", {256}, 0},         {"transformer-tiny", {32}, 128}};

TEST(MeasuredGpuShapes, AreNoProductsOfNetworksThatAreRecorded) {
  GpuBenchmarkRegistry registry;
  try {
    gpu_plugin().register_benchmarks(registry);
  } catch (const MeasurementError& error) {
    GTEST_SKIP() << error.what();
  }
  std::set<std::string> products;
  for (const GpuNetwork& network : kRecordedOnGpus) {
    for (const std::int64_t batch : network.batches) {
      WorkloadOptions options;
      options.batch = batch;
      if (network.seq > 0) options.seq = network.seq;
      const WorkloadGraph graph = build_workload(workload_registry(), network.name, options);
      for (const Op& op : graph.ops()) {
        for (const Pass pass : {Pass::kForward, Pass::kDgrad, Pass::kWgrad}) {
          for (const KernelShape& shape : pass_kernels(graph, op, pass)) {
            if (std::holds_alternative<GemmShape>(shape)) products.insert(to_string(shape));
          }
        }
      }
    }
  }
  EXPECT_GT(products.size(), 50U);
  std::size_t checked = 0;
  for (const Measurement& planned : planned_on_gpu(registry)) {
    const std::optional<Kernel> kernel = kernel_of(planned);
    if (!kernel || !std::holds_alternative<GemmShape>(kernel->shape)) continue;
    ++checked;
    EXPECT_FALSE(products.contains(to_string(kernel->shape))) << to_string(kernel->shape);
  }
  EXPECT_GT(checked, 50U);
}

}  // namespace
}  // namespace paceline
