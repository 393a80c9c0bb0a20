#include "answers/compare/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace paceline {
namespace {

using testing::HasSubstr;

Experiment job(std::int64_t machines, const std::string& net, const std::string& strategy) {
  Experiment e;
  e.model = "resnet18";
  e.batch = 16;
  e.device = "v100-sxm2-16g";
  e.threads = 0;
  e.devices = 8 * machines;
  e.devices_per_machine = 8;
  e.intra = "nvlink2-cube-mesh";
  e.net = net;
  e.strategy = strategy;
  e.draws = 100;
  return e;
}

std::vector<Experiment> clusters(const std::string& strategy) {
  std::vector<Experiment> out;
  for (const char* net : {"10gbe", "100gbe"}) {
    for (const std::int64_t machines : {2, 3, 4, 8, 16})
      out.push_back(job(machines, net, strategy));
  }
  return out;
}

Sweep predict(const std::vector<Experiment>& points, std::size_t most_simulated,
              bool largest_batch = false) {
  SweepDevices devices;
  SweepOptions options;
  options.largest_batch = largest_batch;
  options.most_simulated = most_simulated;
  options.threads = 2;
  return predict_sweep(points, options, devices);
}

class Strategies : public testing::TestWithParam<const char*> {};

// Whatever a strategy does, a point of a large sweep is what its simulation says, to 2 %: in closed
// form where that holds, simulated where it does not.
TEST_P(Strategies, ALargeSweepAgreesWithTheSimulationOfEachPoint) {
  const std::vector<Experiment> points = clusters(GetParam());
  const Sweep large = predict(points, 1);
  const Sweep exact = predict(points, 1000);
  EXPECT_EQ(exact.in_closed_form, 0u);
  ASSERT_EQ(large.reports.size(), points.size());
  ASSERT_EQ(exact.reports.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double simulated = exact.reports[i].iteration_time_s.median;
    EXPECT_NEAR(large.reports[i].iteration_time_s.median, simulated, 0.02 * simulated) << i;
    EXPECT_EQ(large.reports[i].experiment.devices, points[i].devices);
    // Buffers of communication and of its channels included.
    EXPECT_EQ(large.reports[i].memory.peak(), exact.reports[i].memory.peak()) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Some, Strategies,
                         testing::Values("bsp", "wfbp", "ddp", "parameter-server",
                                         "bytescheduler"));

// What points share is not seen in what is said of any: medians, intervals, warnings, memory, the
// largest batch.
TEST(Sweep, SaysOfEachPointWhatAPredictionOfItAloneSays) {
  std::vector<Experiment> points;
  for (const char* strategy :
       {"ddp", "bsp", "wfbp", "horovod", "zero-2", "parameter-server", "replicated", "none"}) {
    for (const std::int64_t machines : {1, 2, 3}) {
      points.push_back(job(machines, "25gbe", strategy));
      if (machines == 1) points.back().net.reset();
    }
    // One machine beside networks that it hardly ever uses.
    for (const char* net : {"10gbe", "100gbe", "25 Gb/s@5us", "no-such-network"}) {
      points.push_back(job(1, net, strategy));
    }
  }
  points.push_back(job(1, "10gbe", "async-parameter-server"));
  points.push_back(job(1, "100gbe", "async-parameter-server"));
  points.push_back(points[0]);
  points.back().devices = 1;
  points.back().devices_per_machine.reset();
  points.back().intra.reset();
  const Predictor predictor;
  SweepDevices devices;
  const Sweep sweep = predict(points, 1000, true);
  std::size_t next = 0;
  for (const Experiment& point : points) {
    std::optional<Prediction> alone;
    try {
      alone = predictor.predict(point, devices.at(point), true);
    } catch (const Error&) {
      continue;  // the strategy refuses such a job
    }
    ASSERT_LT(next, sweep.reports.size());
    EXPECT_EQ(to_json(sweep.reports[next++]).dump(), to_json(alone->report).dump());
  }
  EXPECT_EQ(next, sweep.reports.size());
  EXPECT_GT(next, 15u);
}

// Reports, errors and their order are the same on any number of threads, simulated or in closed
// form.
TEST(Sweep, DoesNotDependOnTheNumberOfThreads) {
  std::vector<Experiment> points;
  for (const char* strategy : {"bsp", "ddp", "parameter-server"}) {
    for (const Experiment& point : clusters(strategy)) points.push_back(point);
  }
  points[7].model = "no-such-network";
  points[23].devices = 9;  // not whole machines
  const auto on_threads = [&](unsigned threads) {
    SweepDevices devices;
    SweepOptions options;
    options.most_simulated = 1;
    options.threads = threads;
    return predict_sweep(points, options, devices);
  };
  const Sweep alone = on_threads(1);
  EXPECT_GE(alone.in_closed_form, 9u);
  EXPECT_EQ(alone.errors.size(), 2u);
  for (const unsigned threads : {2u, 7u}) {
    const Sweep shared = on_threads(threads);
    EXPECT_EQ(shared.in_closed_form, alone.in_closed_form);
    ASSERT_EQ(shared.reports.size(), alone.reports.size());
    for (std::size_t i = 0; i < alone.reports.size(); ++i) {
      EXPECT_EQ(to_json(shared.reports[i]).dump(), to_json(alone.reports[i]).dump()) << i;
    }
    ASSERT_EQ(shared.errors.size(), alone.errors.size());
    for (std::size_t i = 0; i < alone.errors.size(); ++i) {
      EXPECT_STREQ(shared.errors[i].what(), alone.errors[i].what());
    }
  }
}

// A cluster that cannot be costs its own point, not the family's.
TEST(Sweep, OfManyPointsKeepsAnImpossibleClusterApart) {
  std::vector<Experiment> points = clusters("bsp");
  points[0].devices = 9;  // not whole machines of 8, and the smallest of all
  const Sweep sweep = predict(points, 1);
  EXPECT_EQ(sweep.reports.size(), points.size() - 1);
  EXPECT_EQ(sweep.errors.size(), 1u);
}

TEST(Sweep, UsesTheClosedFormWhereMessagesFollowOneAnother) {
  EXPECT_EQ(predict(clusters("bsp"), 1).in_closed_form, 10u);
}

// Points that differ in the batch have one largest batch; it is asked for or absent.
TEST(Sweep, SaysTheLargestBatchOfEveryPoint) {
  std::vector<Experiment> points = {job(2, "100gbe", "ddp"), job(2, "100gbe", "ddp")};
  points[1].batch = 2 * points[0].batch;
  SweepDevices devices;
  SweepOptions options;
  options.threads = 2;
  for (const Report& report : predict_sweep(points, options, devices).reports) {
    EXPECT_FALSE(report.largest_batch.has_value());
  }
  options.largest_batch = true;
  const Sweep asked = predict_sweep(points, options, devices);
  ASSERT_EQ(asked.reports.size(), 2u);
  EXPECT_GT(asked.reports[0].largest_batch.value(), points[1].batch);
  EXPECT_EQ(asked.reports[0].largest_batch, asked.reports[1].largest_batch);
}

// Clusters where a device keeps the same share the search, those where it does not search again.
TEST(Sweep, SaysTheLargestBatchThatEachClusterHasByItself) {
  const std::vector<Experiment> points = {job(2, "100gbe", "ddp"), job(2, "25gbe", "ddp"),
                                          job(2, "25gbe", "zero-2"), job(16, "25gbe", "zero-2")};
  SweepDevices devices;
  SweepOptions options;
  options.threads = 2;
  options.largest_batch = true;
  const Sweep sweep = predict_sweep(points, options, devices);
  ASSERT_EQ(sweep.reports.size(), points.size());
  const Predictor predictor;
  for (const Report& report : sweep.reports) {
    const TrainingDevice& device = devices.at(report.experiment);
    EXPECT_EQ(report.largest_batch, predictor.largest_batch(report.experiment, device));
  }
}

TEST(Sweep, KeepsWhatFailsApartAndTheOrderOfTheRest) {
  std::vector<Experiment> points = clusters("bsp");
  points.resize(3);
  points[1].model = "no-such-network";
  const Sweep sweep = predict(points, 1000);
  ASSERT_EQ(sweep.reports.size(), 2u);
  EXPECT_EQ(sweep.reports[0].experiment.devices, 16);
  EXPECT_EQ(sweep.reports[1].experiment.devices, 32);
  ASSERT_EQ(sweep.errors.size(), 1u);
  EXPECT_THAT(sweep.errors[0].what(), HasSubstr("no-such-network"));
  EXPECT_FALSE(sweep.single);
}

TEST(Sweep, OfOnePointHoldsAllItWasMadeFrom) {
  const Sweep sweep = predict({job(2, "100gbe", "ddp")}, 1000);
  ASSERT_TRUE(sweep.single);
  EXPECT_FALSE(sweep.single->plan.kernels.empty());
}

}  // namespace
}  // namespace paceline
