#include "simulator/report/prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "model/analytic/iteration_time.h"
#include "simulator/report/report_parts.h"
#include "simulator/report/test_device.h"

namespace paceline {
namespace {

using testing::HasSubstr;

Experiment experiment(const std::string& model, std::int64_t batch, int threads = 1) {
  Experiment e;
  e.model = model;
  e.batch = batch;
  e.device = "test.json";
  e.threads = threads;
  return e;
}

TEST(Predictor, SimulatesTheClosedFormAndReportsItsParts) {
  const CpuDevice device = made_up_device();
  const Prediction p = Predictor().predict(experiment("resnet50", 8), device);
  const double time = serial_iteration_time(p.plan).seconds().si();
  EXPECT_EQ(p.report.iteration_time_s.median, time);
  EXPECT_NEAR(p.report.breakdown.total().si(), time, 1e-9 * time);
  EXPECT_DOUBLE_EQ(p.report.throughput_samples_per_s.median, 8 / time);
  EXPECT_LT(p.report.iteration_time_s.p05, time);
  EXPECT_GT(p.report.iteration_time_s.p95, time);
  EXPECT_LT(p.report.throughput_samples_per_s.p05, p.report.throughput_samples_per_s.median);
  EXPECT_FALSE(p.report.bottleneck.text.empty());
}

TEST(Predictor, OriginsAndImplementationsCoverTheWholeIteration) {
  const Prediction p = Predictor().predict(experiment("lstm-ptb", 16), made_up_device());
  double share = 0;
  for (const OriginLine& line : p.report.origins) share += line.share;
  EXPECT_NEAR(share, 1, 1e-9);
  Seconds sum;
  for (const ImplementationTime& part : time_by_implementation(p.plan)) sum += part.time;
  EXPECT_NEAR(sum.si(), p.report.iteration_time_s.median, 1e-9);
}

TEST(Predictor, SpellsOutWhatTheExperimentLeavesOpen) {
  const CpuDevice device = made_up_device();
  const Experiment e = Predictor().resolve(experiment("LSTM_PTB", 16, 0), device);
  EXPECT_EQ(e.model, "lstm-ptb");
  EXPECT_EQ(e.threads, device.cores());
  EXPECT_EQ(e.seq, 32);
}

TEST(Predictor, CountsTokensOfTokenWorkloads) {
  const Predictor predictor;
  const CpuDevice device = made_up_device();
  const Report report = predictor.predict(experiment("transformer-tiny", 4), device).report;
  ASSERT_TRUE(report.throughput_tokens_per_s.has_value());
  EXPECT_DOUBLE_EQ(report.throughput_tokens_per_s->median,
                   128 * report.throughput_samples_per_s.median);
  EXPECT_FALSE(predictor.predict(experiment("alexnet", 4), device).report.throughput_tokens_per_s);
}

TEST(Predictor, IsTheSameForTheSameSeedAndMovesOnlyTheIntervalForAnother) {
  const Predictor predictor;
  const CpuDevice device = made_up_device();
  Experiment e = experiment("fcn-r", 64);
  const Estimate first = predictor.predict(e, device).report.iteration_time_s;
  const Estimate again = predictor.predict(e, device).report.iteration_time_s;
  e.seed = 2;
  const Estimate other = predictor.predict(e, device).report.iteration_time_s;
  EXPECT_EQ(first.p95, again.p95);
  EXPECT_EQ(first.median, other.median);
  EXPECT_NE(first.p95, other.p95);
}

TEST(Predictor, SaysWhenTheNetworkDoesNotFit) {
  const Report report = Predictor().predict(experiment("resnet50", 4096), made_up_device()).report;
  EXPECT_FALSE(report.memory.fits());
  EXPECT_THAT(report.warnings, testing::Contains(HasSubstr("does not fit")));
}

TEST(Predictor, NamesTheMeasurementThatAMissingKernelNeeds) {
  ParameterSet parameters = made_up_parameters();
  std::erase_if(parameters.fits,
                [](const Fit& fit) { return fit.implementation == "openblas.sgemm"; });
  const CpuDevice device(std::move(parameters), {"test.json", ""});
  try {
    Predictor().predict(experiment("fcn-r", 64), device);
    FAIL() << "a kernel was priced without parameters";
  } catch (const MissingParameter& error) {
    EXPECT_THAT(error.what(), HasSubstr("openblas.sgemm"));
    EXPECT_THAT(error.what(), HasSubstr("paceline measure"));
  }
}

// One device under any strategy is that device by itself.
TEST(Predictor, PredictsOneDeviceAlikeWhateverAggregates) {
  const Predictor predictor;
  const CpuDevice device = made_up_device();
  Experiment e = experiment("fcn-r", 64);
  const double alone = predictor.predict(e, device).report.iteration_time_s.median;
  for (const char* strategy : {"ddp", "horovod", "bsp"}) {
    e.strategy = strategy;
    const Report report = predictor.predict(e, device).report;
    EXPECT_NEAR(report.iteration_time_s.median, alone, 1e-9 * alone) << strategy;
    EXPECT_NEAR(report.scaling_efficiency, 1, 1e-9);
    EXPECT_EQ(report.communication.bytes_per_device, 0);
  }
}

// The measured rate of one device is what one device is predicted to reach, to the digit.
TEST(Predictor, ScalesComputingToTheCalibration) {
  Experiment e = experiment("fcn-r", 64);
  e.calibrate = "500 samples/s";
  const Report report = Predictor().predict(e, made_up_device()).report;
  EXPECT_NEAR(report.throughput_samples_per_s.median, 500, 1e-6);
  e.calibrate = "0.25 s";
  const Report by_time = Predictor().predict(e, made_up_device()).report;
  EXPECT_NEAR(by_time.iteration_time_s.median, 0.25, 1e-9);
}

// Compute 10.8 s and synchronization 11.4 s as measured: four micro-batches take 88.8 s where each
// synchronizes and 54.6 s where only the last does (github.com/NVIDIA/cosmos-framework pull 162).
TEST(Predictor, AddsUpGradientAccumulationFromMeasuredTimes) {
  Experiment e = experiment("fcn-r", 64);
  e.devices = 16;
  e.devices_per_machine = 8;
  e.intra = "nvswitch2";
  e.net = "100gbe";
  e.strategy = "fsdp";
  e.calibrate = "10.8 s";
  e.options["sync_time"] = "11.4 s";
  EXPECT_NEAR(Predictor().predict(e, made_up_device()).report.iteration_time_s.median, 22.2, 1e-9);
  e.grad_accumulation = 4;
  EXPECT_NEAR(Predictor().predict(e, made_up_device()).report.iteration_time_s.median, 88.8, 1e-9);
  e.options["sync"] = "last";
  EXPECT_NEAR(Predictor().predict(e, made_up_device()).report.iteration_time_s.median, 54.6, 1e-9);
}

TEST(Predictor, SeveralDevicesAggregateAsTheirFrameworkDoes) {
  const Predictor predictor;
  Experiment e = experiment("fcn-r", 64);
  EXPECT_EQ(predictor.resolve(e, made_up_device()).strategy, "none");
  e.devices = 2;
  EXPECT_EQ(predictor.resolve(e, made_up_device()).strategy, "ddp");
}

TEST(Predictor, RefusesWhatIsNotSupportedYetByName) {
  const Predictor predictor;
  const CpuDevice device = made_up_device();
  Experiment e = experiment("fcn-r", 64);
  e.strategy = "megatron";
  EXPECT_THROW(predictor.predict(e, device), UsageError);
  e = experiment("fcn-r", 64);
  e.precision = Precision::kBf16;
  EXPECT_THROW(predictor.predict(e, device), UsageError);
  e = experiment("fcn-r", 64);
  e.options["bucket_cap_mib"] = "35";
  EXPECT_THROW(predictor.predict(e, device), UsageError);
  EXPECT_THROW(predictor.predict(experiment("resnet5", 1), device), UsageError);
}

}  // namespace
}  // namespace paceline
