// Predictions on GPUs of the catalog: laws, not numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "model/analytic/iteration_time.h"
#include "model/hardware/device_catalog.h"
#include "simulator/lower/lower.h"
#include "simulator/report/prediction.h"

namespace paceline {
namespace {

using testing::HasSubstr;

const Predictor& predictor() {
  static const Predictor shared;
  return shared;
}

Experiment experiment(const std::string& model, std::int64_t batch, const std::string& device,
                      Precision precision = Precision::kFp32) {
  Experiment e;
  e.model = model;
  e.batch = batch;
  e.device = device;
  e.precision = precision;
  e.threads = 0;
  e.draws = 100;
  return e;
}

Prediction predict(const Experiment& e) {
  return predictor().predict(e, *read_training_device(e.device, e.options));
}

double time_of(const Experiment& e) { return predict(e).report.iteration_time_s.median; }

TEST(GpuPrediction, TheSimulationIsTheClosedForm) {
  for (const char* model : {"resnet50", "bert-base", "lstm-ptb", "fcn-r", "gpt2"}) {
    for (const std::int64_t batch : {1, 16}) {
      const Prediction p = predict(experiment(model, batch, "v100-sxm2-16g"));
      EXPECT_EQ(simulate_iteration(p.plan), iteration_time(p.plan)) << model;
      EXPECT_NEAR(p.report.breakdown.total().si(), p.report.iteration_time_s.median, 1e-9);
    }
  }
}

TEST(GpuPrediction, GradientAccumulationIsTheClosedFormToo) {
  Experiment e = experiment("resnet50", 2, "a100-sxm-80g");
  e.grad_accumulation = 3;
  const Prediction p = predict(e);
  EXPECT_EQ(simulate_iteration(p.plan), iteration_time(p.plan));
}

// The device waits for the host at batch 1 and hides it at batch 256.
TEST(GpuPrediction, SmallBatchesAreBoundByLaunches) {
  const Report small = predict(experiment("resnet50", 1, "h100-sxm", Precision::kBf16)).report;
  const Report large = predict(experiment("resnet50", 256, "h100-sxm", Precision::kBf16)).report;
  EXPECT_GT(small.breakdown.host.si(), 0.5 * small.iteration_time_s.median);
  EXPECT_LT(large.breakdown.host.si(), 0.1 * large.iteration_time_s.median);
  EXPECT_EQ(small.bottleneck.resource, "framework host");
}

TEST(GpuPrediction, GraphsHelpWhatIsBoundByLaunchesAndNothingElse) {
  Experiment e = experiment("resnet50", 1, "h100-sxm", Precision::kBf16);
  const double eager = time_of(e);
  e.options["graphs"] = "on";
  EXPECT_LT(time_of(e), 0.5 * eager);
  e = experiment("gpt2-large", 8, "h100-sxm", Precision::kBf16);
  const double large = time_of(e);
  e.options["graphs"] = "on";
  EXPECT_NEAR(time_of(e) / large, 1, 0.05);
}

TEST(GpuPrediction, LowerPrecisionIsFasterWhereThereAreMatrixUnits) {
  const auto of = [](Precision p) {
    return time_of(experiment("bert-large", 8, "a100-sxm-80g", p));
  };
  EXPECT_LT(of(Precision::kTf32), of(Precision::kFp32));
  EXPECT_LT(of(Precision::kBf16), of(Precision::kTf32));
}

// A K80 die without boost: everything that computes slows down with the clock.
// GPT-2 has 1024 tokens a sample, on however many devices.
TEST(GpuPrediction, TokensAreThoseOfTheSamples) {
  for (const std::int64_t devices : {1, 8}) {
    Experiment e = experiment("gpt2", 2, "a100-sxm-80g", Precision::kBf16);
    e.devices = devices;
    e.grad_accumulation = 2;
    if (devices > 1) e.intra = "nvswitch2";
    const Report report = predict(e).report;
    EXPECT_NEAR(report.throughput_tokens_per_s->median / report.throughput_samples_per_s.median,
                1024, 1e-6)
        << devices;
  }
}

// VGG-16 over 10 GbE waits most of the time; what it waits for is named, and no kernel is said to
// take a share of the iteration that the job does not compute for.
TEST(GpuPrediction, OriginsOfAJobHoldWhatItWaitsFor) {
  Experiment e = experiment("vgg16", 32, "v100-sxm2-16g");
  e.devices = 8;
  e.devices_per_machine = 1;
  e.net = "10gbe";
  e.strategy = "bsp";
  const Report report = predict(e).report;
  double sum = 0;
  for (const OriginLine& line : report.origins) sum += line.share;
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_EQ(report.origins.front().what, "communication");
  EXPECT_NEAR(report.origins.front().share,
              report.breakdown.exposed_communication / report.breakdown.total(), 1e-9);
  for (const std::string& warning : report.warnings) {
    EXPECT_EQ(warning.find("of the iteration is kernels"), std::string::npos) << warning;
  }
}

// Gradients of 16 bits are half the traffic of those that autocast leaves in fp32; compressing them
// to 16 bits has no meaning then.
TEST(GpuPrediction, GradientsTravelAsTheyAreStored) {
  Experiment e = experiment("gpt2", 2, "a100-sxm-80g", Precision::kBf16);
  e.devices = 8;
  e.intra = "nvswitch2";
  const std::int64_t autocast = predict(e).report.communication.bytes_per_device;
  e.options["mixed"] = "uniform";
  EXPECT_NEAR(static_cast<double>(predict(e).report.communication.bytes_per_device),
              static_cast<double>(autocast) / 2, 10);
  e.strategy = "bsp";
  e.options["compression"] = "fp16";
  EXPECT_THROW(predict(e), UsageError);
}

// How 16 bits are used decides nothing where there are none; the default may be said.
TEST(GpuPrediction, RefusesUniformPrecisionOf32Bits) {
  for (const Precision wide : {Precision::kFp32, Precision::kTf32}) {
    Experiment e = experiment("resnet50", 8, "a100-sxm-80g", wide);
    e.options["mixed"] = "uniform";
    EXPECT_THROW(predict(e), UsageError);
    e.options["mixed"] = "autocast";
    EXPECT_NO_THROW(predict(e));
  }
}

// FSDP's mixed precision is not autocast: shares are fp32 (4 + 4 + 8 bytes of a parameter with
// Adam, over 8 devices), 16-bit weights exist while their unit is gathered and are sent as such.
TEST(GpuPrediction, FsdpCastsWhatItGathers) {
  Experiment e = experiment("gpt2-medium", 1, "a100-sxm-80g", Precision::kBf16);
  e.devices = 8;
  e.intra = "nvswitch2";
  e.strategy = "fsdp";
  e.options["optimizer"] = "adam";
  const Prediction fsdp = predict(e);
  EXPECT_EQ(fsdp.report.experiment.options.at("mixed"), "uniform");
  const double parameters = static_cast<double>(fsdp.graph.parameters());
  const MemoryUse& use = fsdp.report.memory;
  EXPECT_NEAR(static_cast<double>(use.weights), 4 * parameters / 8, 1e-3 * parameters);
  EXPECT_NEAR(static_cast<double>(use.optimizer_state), 8 * parameters / 8, 1e-3 * parameters);
  e.options["mixed"] = "autocast";
  const Report autocast = predict(e).report;
  EXPECT_GT(autocast.memory.weights, use.weights + static_cast<std::int64_t>(parameters));
  EXPECT_GT(autocast.communication.bytes_per_device,
            fsdp.report.communication.bytes_per_device * 19 / 10);
}

// What fits fits, what is one larger does not, and both are said of the batch that was asked for.
TEST(GpuPrediction, TheLargestBatchIsTheLastThatFits) {
  Experiment e = experiment("resnet50", 32, "v100-sxm2-16g");
  const auto device = read_training_device(e.device, e.options);
  const std::int64_t largest = predictor().largest_batch(predictor().resolve(e, *device), *device);
  e.batch = largest;
  EXPECT_TRUE(predict(e).report.memory.fits());
  EXPECT_GE(predict(e).report.memory.margin(), 0);
  e.batch = largest + 1;
  EXPECT_FALSE(predict(e).report.memory.fits());
  EXPECT_LT(predict(e).report.memory.margin(), 0);
}

// The largest batch is of the job, not of the batch that somebody happened to ask about: with the
// caching allocator, which gives back what it holds, several batches are borders.
TEST(GpuPrediction, TheLargestBatchIsTheSameWhateverBatchIsAskedAbout) {
  Experiment e = experiment("resnet50", 32, "v100-sxm2-16g");
  const auto device = read_training_device(e.device, e.options);
  const auto largest = [&](std::int64_t batch) {
    e.batch = batch;
    return predictor().largest_batch(predictor().resolve(e, *device), *device);
  };
  const std::int64_t of_one = largest(1);
  for (const std::int64_t batch : {32, 119, 150, 200, 1000}) EXPECT_EQ(largest(batch), of_one);
}

TEST(GpuPrediction, ALowerClockIsSlower) {
  Experiment e = experiment("alexnet", 64, "k80");
  const double boost = time_of(e);
  e.options["clock"] = "562MHz";
  const double base = time_of(e);
  EXPECT_GT(base, 1.2 * boost);
  EXPECT_LT(base, 875.0 / 562 * boost);
  e.options["clock"] = "5GHz";
  EXPECT_THROW(time_of(e), UsageError);
}

TEST(GpuPrediction, APowerLimitIsSlower) {
  Experiment e = experiment("resnet50", 64, "a100-sxm-80g");
  const double full = time_of(e);
  e.options["power"] = "200W";
  EXPECT_GT(time_of(e), full);
  e.options["power"] = "900W";
  EXPECT_THROW(time_of(e), UsageError);
}

TEST(GpuPrediction, AWorkspaceLimitNeverHelps) {
  Experiment e = experiment("vgg16", 32, "titan-x-maxwell");
  const double free = time_of(e);
  e.options["workspace_limit"] = "0 B";
  EXPECT_GT(time_of(e), free);
}

TEST(GpuPrediction, SaysWhatWasNotMeasured) {
  const Report measured = predict(experiment("bert-base", 8, "v100-pcie-32g")).report;
  const Report transferred = predict(experiment("bert-base", 8, "rtx-3090")).report;
  const auto extrapolated = [](const Report& r) {
    double share = 0;
    for (const OriginLine& line : r.origins) {
      if (line.kind == OriginKind::kExtrapolated) share += line.share;
    }
    return share;
  };
  EXPECT_LT(extrapolated(measured), 0.3);
  EXPECT_GT(extrapolated(transferred), 0.9);
  const auto width = [](const Report& r) {
    return r.iteration_time_s.p95 / r.iteration_time_s.p05;
  };
  EXPECT_GT(width(transferred), width(measured));
}

// Every GPU answers for every network that it can hold, with an interval.
TEST(GpuPrediction, EveryGpuAnswers) {
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  for (const DeviceSpec& device : catalog.devices()) {
    if (device.kind != DeviceKind::kGpu) continue;
    const Report r = predict(experiment("resnet50", 8, device.name)).report;
    EXPECT_GT(r.iteration_time_s.p05, 0) << device.name;
    EXPECT_LT(r.iteration_time_s.p05, r.iteration_time_s.median) << device.name;
    EXPECT_GT(r.model_flops_utilization, 0.01) << device.name;
    EXPECT_LT(r.model_flops_utilization, 2.0) << device.name;  // Winograd's form needs less
  }
}

TEST(GpuPrediction, RefusesWhatHasNoMeaning) {
  Experiment e = experiment("fcn-r", 64, "v100-sxm2-16g");
  e.threads = 4;
  EXPECT_THROW(predict(e), UsageError);
  EXPECT_THROW(predict(experiment("fcn-r", 64, "v100-sxm2-16g", Precision::kBf16)), UsageError);
  e = experiment("fcn-r", 64, "v100-sxm2-16g");
  e.options["optimizer"] = "adem";
  EXPECT_THROW(predict(e), UsageError);
  EXPECT_THROW(read_training_device("v100", {}), UsageError);
}

// A bucket costs what its longest sequence costs, and the report says so.
TEST(GpuPrediction, PadsSequencesToTheirBucketAndSaysSo) {
  const auto device = read_training_device("v100-sxm2-16g", {});
  const auto predict = [&](std::int64_t seq) {
    Experiment e;
    e.model = "seq2seq-nmt";
    e.batch = 4;
    e.seq = seq;
    e.device = "v100-sxm2-16g";
    e.draws = 20;
    return Predictor().predict(e, *device).report;
  };
  const Report inside = predict(33);
  const Report whole = predict(40);
  EXPECT_DOUBLE_EQ(inside.iteration_time_s.median, whole.iteration_time_s.median);
  EXPECT_THAT(inside.warnings, testing::Contains(testing::HasSubstr("bucket of 40")));
  EXPECT_THAT(whole.warnings, testing::Not(testing::Contains(testing::HasSubstr("bucket"))));
}

}  // namespace
}  // namespace paceline
