#include "simulator/device/probe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

GpuCostModel model_of(const std::string& device) {
  return GpuCostModel::for_device(DeviceCatalog::shipped().at(device));
}

Measurement product(std::int64_t size, double seconds, const std::string& device = "RTX 3090") {
  Measurement m;
  m.benchmark = "cublas.gemm";
  m.axes = {{"device", device}, {"timing", "device"}, {"precision", "fp32"}, {"m", size},
            {"n", size},        {"k", size},          {"trans_a", "T"},      {"trans_b", "N"}};
  m.rounds = {{.start = "", .foreign_cpu = 0, .accepted = true, .samples_s = {seconds}}};
  return m;
}

Kernel kernel(std::int64_t size) {
  return {"cublas.gemm", GemmShape{.m = size, .n = size, .k = size, .trans_a = true}};
}

// A board that runs everything 1.4 times as long as a transferred prediction says: eight timings
// find nearly all of it and narrow the interval; other families stay as they are.
TEST(Probe, EightTimingsMoveTheirFamilyToTheBoard) {
  GpuCostModel model = model_of("rtx-3090");
  MeasurementSet set;
  for (std::int64_t size = 512; size <= 4096; size += 512) {
    set.results.push_back(product(size, 1.4 * model.cost(kernel(size), {}).time.si()));
  }
  const KernelCost before = model.cost(kernel(3000), {});
  const Kernel relu{"relu",
                    StreamShape{.elements = 1 << 20, .read = Bytes(4e6), .written = Bytes(4e6)}};
  const double other = model.cost(relu, {}).time.si();
  model.refine(refinements(set, model));
  const KernelCost after = model.cost(kernel(3000), {});
  EXPECT_NEAR(after.time / before.time, 1.4, 0.1);
  EXPECT_LT(after.shared_sd, before.shared_sd);
  EXPECT_EQ(after.origin.kind, OriginKind::kFitted);
  EXPECT_EQ(model.cost(relu, {}).time.si(), other);
}

// The more timings, the more they count against what was expected.
TEST(Probe, OneTimingMovesLessThanMany) {
  const GpuCostModel model = model_of("rtx-3090");
  const auto shift = [&](int count) {
    MeasurementSet set;
    for (int i = 0; i < count; ++i) {
      const std::int64_t size = 1024 + 128 * i;
      set.results.push_back(product(size, 1.5 * model.cost(kernel(size), {}).time.si()));
    }
    return refinements(set, model).begin()->second.log_shift;
  };
  EXPECT_GT(shift(1), 0);
  EXPECT_LT(shift(1), shift(8));
  EXPECT_LE(shift(8), std::log(1.5) + 1e-12);
}

TEST(Probe, RefusesTimingsOfAnotherDeviceAndEmptyFiles) {
  const GpuCostModel model = model_of("rtx-3090");
  MeasurementSet set;
  EXPECT_THROW(refinements(set, model), InputError);
  set.results.push_back(product(1024, 1e-3, "t4"));
  EXPECT_THROW(refinements(set, model), InputError);
}

}  // namespace
}  // namespace paceline
