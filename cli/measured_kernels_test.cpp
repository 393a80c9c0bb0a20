// What `paceline measure --device cuda` plans, `paceline calibrate` understands and `paceline
// predict` uses: the whole way with the times of a GPU that is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "cli/test_program.h"
#include "core/provenance.h"
#include "microbench/gpu/gpu_plugin.h"
#include "model/cost/gpu.h"
#include "model/hardware/device_catalog.h"
#include "simulator/device/kernel_of.h"

namespace paceline {
namespace {

constexpr double kFaster = 1.25;

// Results of the full plan on an H100 that is faster than the shipped one at everything.
MeasurementSet results_of_plan(const GpuBenchmarkRegistry& registry, const GpuCostModel& shipped) {
  GpuInfo gpu;
  gpu.capability_major = 9;
  gpu.l2_cache = Bytes(50e6);
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.02);
  MeasurementSet out;
  out.provenance = make_provenance("test", {});
  out.provenance.libraries["gpu"] = "NVIDIA H100 80GB HBM3";  // as the harness names what it ran on
  for (const auto& entry : registry.entries()) {
    for (Axes& axes : entry.benchmark->design(GpuDesign::kFull, gpu)) {
      Measurement result;
      result.benchmark = entry.name;
      result.axes = std::move(axes);
      result.axes["device"] = std::string("h100-sxm");
      const std::optional<Kernel> kernel = kernel_of(result);
      if (!kernel) continue;
      const double seconds = shipped.cost(*kernel, {}).time.si() / kFaster;
      result.result_checked = true;
      result.rounds = {{.start = "",
                        .foreign_cpu = 0,
                        .accepted = true,
                        .samples_s = {seconds * std::exp(noise(random))}}};
      out.results.push_back(std::move(result));
    }
  }
  return out;
}

TEST(MeasuredKernels, OfTheFullPlanAreFittedAndFoundToBeFaster) {
  GpuBenchmarkRegistry registry;
  try {
    gpu_plugin().register_benchmarks(registry);
  } catch (const MeasurementError& error) {
    GTEST_SKIP() << error.what();
  }
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  const DeviceSpec& device = catalog.at("h100-sxm");
  const GpuCostModel shipped = GpuCostModel::for_device(device);
  const MeasurementSet results = results_of_plan(registry, shipped);
  std::set<std::string> libraries;
  for (const Measurement& result : results.results) {
    libraries.insert(result.benchmark.substr(0, result.benchmark.find('.')));
  }
  if (!libraries.contains("cudnn")) GTEST_SKIP() << "built without cuDNN";
  const TestFolder folder;
  write_measurements(folder.path() / "m.json", results);
  const TestOutcome outcome = run_program_in(folder, "calibrate m.json -o p.json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const ParameterSet parameters = read_parameters(folder.path() / "p.json");
  EXPECT_THAT(parameters.refused, testing::IsEmpty());
  GpuParameterFiles measured;
  measured.own = parameters;
  const GpuCostModel own(device, measured);
  // Shapes that the plan does not have.
  const Kernel kernels[] = {
      {"cublas.gemm", GemmShape{.m = 3000, .n = 2000, .k = 1000, .trans_a = true},
       Precision::kBf16},
      {"cudnn.conv",
       ConvShape{.pass = Pass::kForward,
                 .n = 32,
                 .c = 160,
                 .h = 28,
                 .w = 28,
                 .k = 160,
                 .r = 3,
                 .s = 3,
                 .pad_h = 1,
                 .pad_w = 1,
                 .channels_last = true},
       Precision::kFp16},
      {"aten.add",
       StreamShape{.elements = 20'000'003, .read = Bytes(1.6e8), .written = Bytes(8e7)}},
      {"cudnn.batch_norm",
       StreamShape{.elements = 4'000'000,
                   .read = Bytes(8e6),
                   .written = Bytes(8e6),
                   .row = 2500,
                   .kind = StreamKind::kNormalization},
       Precision::kFp16}};
  for (const Kernel& kernel : kernels) {
    const double faster = shipped.cost(kernel, {}).time / own.cost(kernel, {}).time;
    EXPECT_NEAR(faster, kFaster, 0.15) << kernel.implementation;
  }
}

}  // namespace
}  // namespace paceline
