#include "simulator/device/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

using testing::HasSubstr;

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

// What is said of a probe of a T4 that holds a good timing and then this one.
std::string refusal(const Measurement& timing) {
  const GpuCostModel model = model_of("t4");
  MeasurementSet set;
  set.results = {product(4096, 1, "t4"), timing};
  try {
    refinements(set, model, "probe.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

Measurement with(Measurement timing, const std::string& axis, AxisValue value) {
  timing.axes[axis] = std::move(value);
  return timing;
}

TEST(Probe, RefusesShapesThatAreNone) {
  const Measurement good = product(1024, 1e-2, "t4");
  EXPECT_EQ(refusal(good), "nothing was thrown");
  for (const std::int64_t extent : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{1} << 62}) {
    EXPECT_THAT(refusal(with(good, "m", extent)),
                HasSubstr("probe.json:/results/1: axis m is " + std::to_string(extent) +
                          "; allowed: a whole number from 1 to "));
  }
  EXPECT_THAT(refusal(with(good, "batch", std::int64_t{0})), HasSubstr("axis batch is 0"));
  // Each extent may be, all together are more than a device holds.
  EXPECT_THAT(refusal(product(1'000'000'000, 1e6, "t4")), HasSubstr("at most 1.00 TB"));
}

TEST(Probe, RefusesConvolutionsThatAreNone) {
  Measurement timing = product(1024, 1e-2, "t4");
  timing.benchmark = "cudnn.conv";
  timing.axes = {{"device", "t4"},        {"timing", "device"},      {"pass", "forward"},
                 {"n", std::int64_t{8}},  {"c", std::int64_t{64}},   {"h", std::int64_t{28}},
                 {"w", std::int64_t{28}}, {"k", std::int64_t{64}},   {"r", std::int64_t{3}},
                 {"s", std::int64_t{3}},  {"pad_h", std::int64_t{0}}};
  EXPECT_EQ(refusal(timing), "nothing was thrown");
  EXPECT_THAT(refusal(with(timing, "stride_h", std::int64_t{0})), HasSubstr("axis stride_h is 0"));
  EXPECT_THAT(refusal(with(timing, "pad_w", std::int64_t{-1})), HasSubstr("from 0 to"));
  EXPECT_THAT(refusal(with(timing, "groups", std::int64_t{3})), HasSubstr("a divisor of c and k"));
  EXPECT_THAT(refusal(with(timing, "r", std::int64_t{29})), HasSubstr("at most the padded input"));
}

// 2 x 2048^3 = 17 GFLOP take a T4 of 8.1 TFLOP/s 2.1 ms. Clocks above the data sheet's are
// believed.
TEST(Probe, RefusesTimesThatNoDataSheetAllows) {
  EXPECT_EQ(refusal(product(2048, 1.5e-3, "t4")), "nothing was thrown");
  EXPECT_THAT(refusal(product(2048, 1.4e-3, "t4")),
              HasSubstr("probe.json:/results/1: 1.40 ms of gemm TN 2048x2048x2048 would be 1.51 "
                        "times the data-sheet peak of t4; allowed: up to 1.5 times"));
  EXPECT_THAT(refusal(product(2048, 1e-9, "t4")), HasSubstr("times the data-sheet peak"));
}

TEST(Probe, NamesTheFileWherePrecisionsAreWrong) {
  const Measurement good = product(1024, 1e-2, "t4");
  EXPECT_THAT(refusal(with(good, "precision", "fp31")),
              HasSubstr("probe.json:/results/1: unknown precision \"fp31\""));
  EXPECT_THAT(refusal(with(good, "precision", "bf16")),
              HasSubstr("probe.json:/results/1: t4 has no bf16 arithmetic"));
}

}  // namespace
}  // namespace paceline
