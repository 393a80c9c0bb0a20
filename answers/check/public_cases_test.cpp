// Numbers that people published and others explained: what the check must say about them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answers/check/scaling_check.h"
#include "answers/check/throughput_check.h"

namespace paceline {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

const auto says = [](const char* text) {
  return Contains(Field(&Finding::cause, HasSubstr(text)));
};

class PublicCases : public testing::Test {
 protected:
  DeviceCatalog devices_ = DeviceCatalog::shipped();
  LinkCatalog links_ = LinkCatalog::shipped();
};

// VGG-16 on two machines of eight V100, batch 32: 1531.9 img/s on one, 546.9 on both, while the
// network card shows 10 of its 100 Gb/s (horovod issue 2581). 138,357,544 parameters of 4 bytes.
TEST_F(PublicCases, TwoMachinesAtATenthOfTheNetworkCard) {
  const ScalingJob job{.samples_per_device = 32,
                       .tokens_per_sample = {},
                       .gradient = Bytes(4 * 138357544.0),
                       .network = &links_.at("100gbe"),
                       .links_known = &links_};
  const std::vector<ScalingPoint> points = {{8, 1, {1531.9}}, {16, 2, {546.9}}};
  const std::vector<Finding> findings = check_scaling(points, job);
  EXPECT_THAT(findings, says("16 devices are slower than 8"));
  EXPECT_THAT(findings, says("about 9.8 Gb/s"));
  EXPECT_THAT(findings, says("the rate of 10gbe"));
  EXPECT_THAT(findings, Contains(Field(&Finding::remedy, HasSubstr("NCCL_SOCKET"))));
}

// 3.95 it/s on one A40, 2.7 on each of four (litgpt issue 864): 2.7 times the throughput.
TEST_F(PublicCases, IterationsPerSecondOfEachDevice) {
  MeasuredRun run;
  run.rate = parse_measured_rate("x", "2.7 it/s");
  run.single_device = parse_measured_rate("x", "3.95 it/s");
  run.devices = 4;
  run.samples_per_iteration = 4;
  const std::vector<Finding> findings = check_throughput(run);
  EXPECT_THAT(findings, says("68.4 % efficiency"));
  EXPECT_THAT(findings, says("2.73 times one device"));
  EXPECT_THAT(findings, says("ambiguous"));
  EXPECT_EQ((CheckResult{findings, {}}.verdict()), Verdict::kPlausible);
}

// A network of 44 GFLOP per sample at 9600 tokens/s: with the sparse peak a quarter, dense a half.
TEST_F(PublicCases, UtilizationOfTheSparsePeak) {
  MeasuredRun run;
  run.rate = parse_measured_rate("x", "9600 tokens/s/gpu");
  run.devices = 8;
  run.samples_per_iteration = 8;
  run.tokens_per_sample = 4096;
  run.flops_per_sample = 4096 * Flops(6 * 6.74e9 + 12 * 32 * 4096.0 * 4096);
  run.least_flops_per_sample = run.flops_per_sample;
  run.precision = Precision::kBf16;
  run.device = &devices_.at("h100-sxm");
  run.peak = run.device->peak(run.precision);
  run.devices_known = &devices_;
  run.assumed_peak = FlopsPerSecond(1979e12);
  const std::vector<Finding> findings = check_throughput(run);
  EXPECT_THAT(findings, says("sparsity figure"));
  EXPECT_THAT(findings, says("989 TFLOP/s"));
}

// More arithmetic than eight GPUs have, unless the rate was already that of all of them.
TEST_F(PublicCases, RateOfAllDevicesMultipliedOnceMore) {
  MeasuredRun run;
  run.rate = parse_measured_rate("x", "4000 samples/s/gpu");
  run.devices = 8;
  run.samples_per_iteration = 8 * 64;
  run.flops_per_sample = Flops(24e9);
  run.least_flops_per_sample = run.flops_per_sample;
  run.device = &devices_.at("v100-sxm2-16g");
  run.peak = run.device->peak(run.precision);
  run.devices_known = &devices_;
  const std::vector<Finding> findings = check_throughput(run);
  EXPECT_EQ((CheckResult{findings, {}}.verdict()), Verdict::kImpossible);
  EXPECT_THAT(findings, says("multiplied by their number once more"));
  EXPECT_THAT(findings, says("possible in fp16"));
}

}  // namespace
}  // namespace paceline
