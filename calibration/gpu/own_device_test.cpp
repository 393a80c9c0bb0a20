#include "calibration/gpu/own_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/error.h"
#include "model/cost/gpu.h"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Measurement measurement(const std::string& benchmark, Axes axes, double seconds) {
  Measurement out;
  out.benchmark = benchmark;
  out.axes = std::move(axes);
  out.axes["device"] = std::string("t4");
  out.result_checked = true;
  out.rounds = {{.start = "", .foreign_cpu = 0, .accepted = true, .samples_s = {seconds}}};
  return out;
}

// What `paceline measure --device cuda` would write on a T4 that is a fifth faster than the one
// that is shipped: sums of two arrays of many sizes, a copy or two, a convolution by two
// algorithms.
MeasurementSet faster_t4() {
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  const GpuCostModel model = GpuCostModel::for_device(catalog.at("t4"));
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.02);
  MeasurementSet set;
  set.provenance.libraries["gpu"] = "Tesla T4";
  for (double elements = 1e5; elements < 1e8; elements *= 1.4) {
    const auto count = static_cast<std::int64_t>(elements);
    const Kernel kernel{"cuda.add", StreamShape{.elements = count,
                                                .read = Bytes(8.0 * elements),
                                                .written = Bytes(4.0 * elements)}};
    const double seconds = model.cost(kernel, {}).time.si() / 1.2 * std::exp(noise(random));
    set.results.push_back(measurement("cuda.add",
                                      {{"elements", count},
                                       {"read_bytes", 8 * count},
                                       {"written_bytes", 4 * count},
                                       {"cache", std::string("warm")}},
                                      seconds));
  }
  return set;
}

TEST(OwnDevice, IsFittedToItsOwnTimings) {
  CalibrateOptions options;
  const CalibrationResult result = calibrate_gpu(faster_t4(), options);
  EXPECT_EQ(result.parameters.device, "t4");
  ASSERT_THAT(result.parameters.fits, SizeIs(1));
  EXPECT_EQ(result.parameters.fits[0].implementation, "gpu.stream.elementwise");
  // A prediction with the file is as fast as the measurements, of a size that was not among them.
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  const DeviceSpec& device = catalog.at("t4");
  const GpuCostModel shipped = GpuCostModel::for_device(device);
  GpuParameterFiles measured;
  measured.own = result.parameters;
  const GpuCostModel own(device, measured);
  const Kernel kernel{"aten.add", StreamShape{.elements = 20'000'003,
                                              .read = Bytes(160'000'024),
                                              .written = Bytes(80'000'012)}};
  const double ratio = shipped.cost(kernel, {}).time / own.cost(kernel, {}).time;
  EXPECT_NEAR(ratio, 1.2, 0.06);
}

TEST(OwnDevice, LeavesOutWhatNoFrameworkRunsOrNoOneAccepted) {
  MeasurementSet set = faster_t4();
  const std::size_t all = set.results.size();
  const Axes conv = {{"n", std::int64_t{8}},  {"c", std::int64_t{96}},
                     {"h", std::int64_t{30}}, {"w", std::int64_t{30}},
                     {"k", std::int64_t{96}}, {"r", std::int64_t{3}},
                     {"s", std::int64_t{3}},  {"pass", std::string("forward")}};
  Axes chosen = conv, forced = conv;
  chosen["algorithm"] = std::string("heuristic");
  forced["algorithm"] = std::string("gemm");
  set.results.push_back(measurement("cudnn.conv", chosen, 1e-3));
  set.results.push_back(measurement("cudnn.conv", forced, 2e-3));
  Axes cold = set.results.front().axes;
  cold["cache"] = std::string("cold");
  set.results.push_back(measurement("cuda.add", cold, 1));
  set.results.push_back(measurement("cuda.memcpy", {{"bytes", std::int64_t{1000}}}, 1e-5));
  set.results.push_back(measurement("cuda.add", {{"elements", std::int64_t{8}}}, 1));
  set.results.back().rounds.front().accepted = false;
  EXPECT_THAT(fitted_gpu_kernels(set).results, SizeIs(all + 1));
}

TEST(OwnDevice, TakesAttentionFromPytorchAndFromCudnnOnlyWithoutIt) {
  MeasurementSet set = faster_t4();
  const std::size_t all = set.results.size();
  const Axes attention = {{"attention", std::string("forward")},
                          {"batch", std::int64_t{2}},
                          {"seq", std::int64_t{640}},
                          {"heads", std::int64_t{20}},
                          {"kv_heads", std::int64_t{20}},
                          {"head_dim", std::int64_t{64}},
                          {"causal", std::int64_t{0}},
                          {"precision", std::string("fp16")}};
  set.results.push_back(measurement("cudnn.attention", attention, 1e-4));
  EXPECT_THAT(fitted_gpu_kernels(set).results, SizeIs(all + 1));
  set.results.push_back(measurement("aten.attention", attention, 2e-4));
  const MeasurementSet fitted = fitted_gpu_kernels(set);
  ASSERT_THAT(fitted.results, SizeIs(all + 1));
  EXPECT_EQ(fitted.results.back().benchmark, "aten.attention");
}

TEST(OwnDevice, MustBeInTheCatalogAndAlone) {
  const auto message = [](const MeasurementSet& set) {
    try {
      calibrate_gpu(set, {});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  MeasurementSet set = faster_t4();
  set.results.front().axes["device"] = std::string("v100-sxm2-16g");
  EXPECT_THAT(message(set), HasSubstr("2 devices"));
  for (Measurement& m : set.results) m.axes["device"] = std::string("Quantum GPU");
  EXPECT_THAT(message(set), HasSubstr("describe it in model/catalog/devices"));
  EXPECT_THAT(message({}), HasSubstr("paceline measure --device cuda"));
}

}  // namespace
}  // namespace paceline
