// What is measured for the fits must not contain what is validated on: no matrix or convolution of
// a recorded network is a benchmark shape.
#include <gtest/gtest.h>

#include <set>

#include "microbench/gpu/gpu_plugin.h"
#include "microbench/measure.h"
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
  GpuInfo gpu;
  gpu.capability_major = 9;
  gpu.l2_cache = Bytes(50e6);
  std::size_t checked = 0;
  for (const auto& entry : registry.entries()) {
    for (const Axes& axes : entry.benchmark->design(GpuDesign::kFull, gpu)) {
      Measurement measurement;
      measurement.benchmark = entry.name;
      measurement.axes = axes;
      const std::optional<Kernel> kernel = kernel_of(measurement);
      if (!kernel) continue;
      ++checked;
      const auto* conv = std::get_if<ConvShape>(&kernel->shape);
      if (conv == nullptr) continue;
      ConvShape layer = *conv;  // in whatever pass and layout
      layer.pass = Pass::kForward;
      layer.channels_last = false;
      EXPECT_FALSE(layers.contains(to_string(KernelShape(layer)))) << to_string(kernel->shape);
    }
  }
  EXPECT_GT(checked, 100U);
}

}  // namespace
}  // namespace paceline
