#include "calibration/gpu/gpu_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/error.h"
#include "core/statistics.h"
#include "model/cost/formulas.h"
#include "model/parameters/fold_residuals.h"

namespace paceline {
namespace {

constexpr char kFamily[] = "gpu.stream.softmax";

const DeviceCatalog& catalog() {
  static const DeviceCatalog shipped = DeviceCatalog::shipped();
  return shipped;
}

// launch, memory_share, cache_fit, cache_rate, element_work, row_work, overlap
std::vector<double> truth(double memory_share) { return {3e-6, memory_share, 0.3, 12, 2, 100, 2}; }

Measurement softmax(const std::string& device, std::int64_t rows, std::int64_t row,
                    double seconds) {
  const std::int64_t elements = rows * row;
  Measurement m;
  m.benchmark = "softmax";
  m.axes = {{"device", device},
            {"timing", "device"},
            {"precision", "fp32"},
            {"elements", elements},
            {"kind", "softmax"},
            {"row", row},
            {"read_bytes", 4.0 * static_cast<double>(elements)},
            {"written_bytes", 4.0 * static_cast<double>(elements)}};
  m.rounds = {{.start = "", .foreign_cpu = 0, .accepted = true, .samples_s = {seconds}}};
  return m;
}

// Timings of a device whose parameters are known, with 3 % of noise.
MeasurementSet timings(const std::map<std::string, double>& memory_shares) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0, 0.03);
  MeasurementSet set;
  for (const auto& [device, share] : memory_shares) {
    const ExecutionContext context{.device = &catalog().at(device)};
    for (std::int64_t rows = 64; rows <= 65536; rows *= 2) {
      for (const std::int64_t row : {128, 300, 1024, 3000}) {
        const Bytes bytes(4.0 * static_cast<double>(rows * row));
        const Kernel kernel{"x", StreamShape{.elements = rows * row,
                                             .read = bytes,
                                             .written = bytes,
                                             .row = row,
                                             .kind = StreamKind::kSoftmax}};
        const double time =
            kernel_formula("gpu.stream/3").evaluate(kernel, context, truth(share).data()).total;
        set.results.push_back(softmax(device, rows, row, time * std::exp(noise(random))));
      }
    }
  }
  return set;
}

const std::map<std::string, double> kShares = {
    {"v100-sxm2-16g", 0.80}, {"t4", 0.75}, {"p4", 0.70}, {"a100-sxm-80g", 0.85}};

FamilyFit fitted() {
  GpuObservations observations;
  add_observations(timings(kShares), catalog(), observations);
  return fit_family(kFamily, observations.at(kFamily), {}, catalog(), {.starts = 1});
}

// The known parameters come back within their stated errors, and a device is predicted from the
// others about as far off as devices differ from one another (here 5 to 10 %).
TEST(GpuFit, RecoversKnownDevicesAndPredictsEachFromTheOthers) {
  const FamilyFit family = fitted();
  ASSERT_EQ(family.devices.size(), kShares.size());
  for (const auto& [device, result] : family.devices) {
    ASSERT_TRUE(result.usable) << device << ": " << result.termination;
    const Parameter& share = result.fit.parameter("memory_share");
    EXPECT_NEAR(std::log(share.value / kShares.at(device)), 0, 3 * share.std_error + 0.02)
        << device;
    EXPECT_LT(result.fit.quality.held_out_mape, 0.06) << device;
  }
  std::vector<double> inside;
  for (const GpuFold& fold : family.folds) {
    if (fold.split != kLeftOut) continue;
    EXPECT_LT(fold.errors().median_ape, 0.15) << fold.device;
    inside.push_back(fold.coverage90());
  }
  EXPECT_EQ(inside.size(), kShares.size());
  EXPECT_GT(mean(inside), 0.75);  // of 0.9; the width of each comes from three others
}

// What is expected of an unmeasured device is less certain than what was measured, and every
// architecture of the catalog has an expectation.
TEST(GpuFit, ExpectsSomethingOfEveryArchitectureWithAWiderError) {
  const FamilyFit family = fitted();
  const Parameter& measured = family.devices.at("t4").fit.parameter("memory_share");
  for (const DeviceSpec& device : catalog().devices()) {
    if (device.kind != DeviceKind::kGpu) continue;
    const Parameter& expected =
        family.architectures.at(device.architecture).parameter("memory_share");
    EXPECT_GT(expected.std_error, measured.std_error) << device.architecture;
    EXPECT_NEAR(expected.value, 0.775, 0.12) << device.architecture;
  }
}

TEST(GpuFit, RefusesATimingOfAnUnknownKindOrDevice) {
  GpuObservations observations;
  MeasurementSet set;
  set.results = {softmax("t4", 64, 128, 1e-5)};
  set.results[0].axes["timing"] = "wall";
  EXPECT_THROW(add_observations(set, catalog(), observations), InputError);
  set.results = {softmax("t44", 64, 128, 1e-5)};
  EXPECT_THROW(add_observations(set, catalog(), observations), UsageError);
}

}  // namespace
}  // namespace paceline
