#include "simulator/report/job_interval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "core/text_file.h"
#include "model/hardware/link_catalog.h"
#include "simulator/jitter/jitter.h"
#include "simulator/report/prediction.h"
#include "simulator/strategies/testing/test_job.h"

namespace paceline {
namespace {

using testing::HasSubstr;

double width(const Estimate& estimate) { return std::log(estimate.p95 / estimate.p05); }

// A job that computes for 1 s and sends for `sent`, of which `hidden` is hidden.
std::vector<IntervalPart> parts_of(const JobKnowledge& known, double sent, double hidden = 0) {
  const TimeUnder under = [&](const JobConditions& c) {
    const double messages = c.communication * std::exp(0.2 * c.messages) * sent;
    return c.computing + std::max(0.0, messages - hidden);
  };
  return interval_parts(known, under({}), under);
}

JobKnowledge knowledge() {
  JobKnowledge known;
  known.computing_low = -0.1;
  known.computing_high = 0.1;
  known.ranks = 8;
  return known;
}

// One device has nothing to wait for: its interval is that of what it computes.
TEST(JobInterval, OfOneDeviceIsThatOfItsComputing) {
  JobKnowledge known = knowledge();
  known.ranks = 1;
  const Estimate estimate = with_interval(1, parts_of(known, 0));
  EXPECT_NEAR(std::log(estimate.p95), 0.1, 1e-12);
  EXPECT_NEAR(std::log(estimate.p05), -0.1, 1e-12);
}

TEST(JobInterval, WidensWithEveryThingThatIsNotKnown) {
  JobKnowledge known = knowledge();
  double last = width(with_interval(1.5, parts_of(known, 0.5)));
  const auto wider = [&](const char* what) {
    const double now = width(with_interval(1.5, parts_of(known, 0.5)));
    EXPECT_GT(now, last) << what;
    last = now;
  };
  known.stragglers = std::log(straggler_factor(known.ranks, 0.02));
  wider("stragglers");
  known.residuals.communication.high = 0.3;
  wider("communication in a job");
  known.residuals.computing = {-0.05, 0.2};
  wider("computing in a job");
  known.computing_high = 0.2;
  wider("computing");
}

// What is hidden behind computing twice over may be a fifth slower without anybody noticing.
TEST(JobInterval, IgnoresWhatTheJobDoesNotWaitFor) {
  const JobKnowledge known = knowledge();
  EXPECT_GT(parts_of(known, 0.5).size(), parts_of(known, 0.5, 1.0).size());
}

TEST(JobInterval, OfAMeasuredSynchronizationHoldsItsDigitsOnly) {
  JobKnowledge known = knowledge();
  known.computing_low = known.computing_high = 0;
  known.measured_synchronization = true;
  known.synchronization_sd = 0.01;
  known.residuals.computing.high = 0.3;
  const auto parts = parts_of(known, 1);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].what, "synchronization");
  EXPECT_NEAR(parts[0].high, 0.5 * 0.01645, 2e-4);
}

// "0.2 s" may be anything from 0.15 to 0.25; the spread of a uniform distribution is its width over
// the root of 12.
TEST(JobInterval, ReadsTheSpreadOfAFigureFromItsDigits) {
  EXPECT_NEAR(rounding_sd("0.2 s"), 0.1 / 0.2 / std::sqrt(12.0), 1e-12);
  EXPECT_NEAR(rounding_sd("253.1 samples/s"), 0.1 / 253.1 / std::sqrt(12.0), 1e-12);
  EXPECT_NEAR(rounding_sd("32 samples/s"), 1 / 32.0 / std::sqrt(12.0), 1e-12);
  EXPECT_NEAR(rounding_sd("2.5e-3 s"), 1e-4 / 2.5e-3 / std::sqrt(12.0), 1e-12);
  EXPECT_LT(rounding_sd("1.000 s"), rounding_sd("1.0 s"));
  EXPECT_EQ(rounding_sd("fast"), 0);
}

Experiment job(const std::string& intra, const std::string& strategy) {
  Experiment e;
  e.model = "alexnet";
  e.batch = 16;
  e.device = "k40m";
  e.framework = "caffe";
  e.devices = 4;
  e.intra = intra;
  e.strategy = strategy;
  e.calibrate = "100.0 samples/s";
  return e;
}

Report predict(const Experiment& e) {
  static const Predictor predictor(JobResiduals{});
  return predictor.predict(e, *read_training_device(e.device, e.options)).report;
}

double part(const Report& report, const std::string& what) {
  for (const IntervalPart& one : report.interval_parts) {
    if (one.what == what) return one.high;
  }
  return 0;
}

// The same rate, once of a link that somebody has measured and once of one from a data sheet:
// copies over the second may be off by more.
TEST(JobInterval, AMeasuredLinkIsKnownBetterThanAnAssumedOne) {
  TestJob job = test_job(1, 4, "", "pcie3-x16");
  job.spec.priors = {.measured_link = 0.06, .assumed_link = 0.25};
  const auto slower = [&](bool measured) {
    TestJob other = job;
    for (MachineLink& link : other.spec.cluster.machine.links) link.link.measured = measured;
    other.spec.conditions.links = 1.645;
    return run(other, "gpu-tree").iteration_time;
  };
  EXPECT_GT(slower(true), run(job, "gpu-tree").iteration_time);
  EXPECT_GT(slower(false), slower(true));
  EXPECT_TRUE(LinkCatalog::shipped().at("pcie3-x16").measured);
  EXPECT_FALSE(LinkCatalog::shipped().at("pcie6-x16").measured);
}

// A job whose device is calibrated draws nothing: no seed moves its interval. Another one's moves
// with its device's, and not for the same seed.
TEST(JobInterval, IsTheSameForTheSameSeed) {
  Experiment e = job("pcie3-x16", "gpu-tree");
  e.draws = 100;
  const double calibrated = predict(e).iteration_time_s.p95;
  e.seed = 2;
  EXPECT_EQ(predict(e).iteration_time_s.p95, calibrated);
  e.calibrate.reset();
  const double drawn = predict(e).iteration_time_s.p95;
  EXPECT_EQ(predict(e).iteration_time_s.p95, drawn);
  e.seed = 3;
  EXPECT_NE(predict(e).iteration_time_s.p95, drawn);
}

TEST(JobInterval, OfACalibratedJobIsNarrowerThanWithoutItsMeasurement) {
  Experiment e = job("pcie3-x16", "gpu-tree");
  const double calibrated = width(predict(e).iteration_time_s);
  e.calibrate.reset();
  EXPECT_LT(calibrated, width(predict(e).iteration_time_s));
}

// One device gave the rate at the whole batch; at a quarter of it nobody has measured.
TEST(JobInterval, TheStepToAnotherBatchIsNotKnown) {
  Experiment e = job("pcie3-x16", "gpu-tree");
  const double same = part(predict(e), "computing");
  e.global_batch = true;
  EXPECT_GT(part(predict(e), "computing"), same);
}

TEST(JobPredictor, RefusesContentionWhereNothingRunsBesideKernels) {
  Experiment e = job("pcie3-x16", "bsp");
  e.options["contention"] = "no";
  EXPECT_THROW(predict(e), UsageError);
  e.options["contention"] = "off";
  // Copies hold no multiprocessors; one message after the backward pass has nothing beside it.
  for (const char* strategy : {"gpu-tree", "bsp"}) {
    e.strategy = strategy;
    try {
      predict(e);
      ADD_FAILURE() << strategy;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("contention"));
    }
  }
}

// Tokens are those of all devices, once: samples times the length of a sequence.
TEST(JobPredictor, CountsTheTokensOfAllDevices) {
  Experiment e = job("pcie3-x16", "wfbp");
  e.model = "transformer-tiny";
  e.framework = "pytorch";
  e.device = "v100-sxm2-16g";
  const Report report = predict(e);
  ASSERT_TRUE(report.throughput_tokens_per_s.has_value());
  EXPECT_NEAR(report.throughput_tokens_per_s->median, 128 * report.throughput_samples_per_s.median,
              1e-6 * report.throughput_tokens_per_s->median);
}

TEST(JobPredictor, SlowsKernelsBesideCollectivesUnlessToldNotTo) {
  Experiment e = job("pcie3-x16", "wfbp");
  const Report with = predict(e);
  e.options["contention"] = "off";
  const Report without = predict(e);
  EXPECT_GT(with.communication.slowed, Seconds());
  EXPECT_EQ(without.communication.slowed, Seconds());
  EXPECT_GT(with.iteration_time_s.median, without.iteration_time_s.median);
}

TEST(JobResiduals, LeaveOutTheSetThatIsJudged) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "residuals.json";
  write_text_file(file, R"({"schema": "paceline.job-residuals/1", "summary": "s",
    "all": {"computing": {"low": 0, "high": 0.2}, "communication": {"low": -0.1, "high": 0.3}},
    "sets": [{"name": "a", "cases": 3, "source": "x",
      "without": {"computing": {"low": 0, "high": 0.1}, "communication": {"low": 0, "high": 0}}}]})");
  EXPECT_EQ(JobResiduals::load(file, "").computing.high, 0.2);
  EXPECT_EQ(JobResiduals::load(file, "another").communication.low, -0.1);
  EXPECT_EQ(JobResiduals::load(file, "a").computing.high, 0.1);
}

TEST(JobResiduals, RefuseRangesThatLeaveThePredictionOut) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "residuals.json";
  write_text_file(file, R"({"schema": "paceline.job-residuals/1", "summary": "s",
    "all": {"computing": {"low": 0.1, "high": 0.2}, "communication": {"low": 0, "high": 0}},
    "sets": []})");
  EXPECT_THROW(JobResiduals::load(file, ""), InputError);
}

}  // namespace
}  // namespace paceline
