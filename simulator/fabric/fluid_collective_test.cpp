#include "simulator/fabric/fluid_collective.h"

#include <gtest/gtest.h>

#include "core/statistics.h"
#include "model/hardware/cluster_builder.h"
#include "simulator/engine/engine.h"
#include "traces/measurement/measurement.h"

namespace paceline {
namespace {

const std::filesystem::path kRoot(PACELINE_SOURCE_DIR);
const StagingModel kStaging{0.82, Seconds(10e-6)};

ClusterSpec network_of(int machines, const char* net) {
  ClusterFlags flags;
  flags.gpus = machines;
  flags.gpus_per_node = 1;
  flags.net = net;
  flags.transport = "tcp";
  return build_cluster(flags, LinkCatalog::load(kRoot / "model/catalog/links"));
}

// Every machine plays itself.
Seconds time_of_all(const ClusterSpec& cluster, const FluidCollective& one, int jobs) {
  Platform platform;
  const FabricPlatform fabric(platform, cluster, kStaging);
  TaskGraphBuilder builder;
  for (int job = 0; job < jobs; ++job) builder.add(fluid_collective_task(platform, fabric, one));
  return schedule(std::move(builder).build(), platform).makespan.seconds();
}

Seconds time_of(const ClusterSpec& cluster, const FluidCollective& one, int jobs) {
  return time_side_by_side(cluster, kStaging, one, jobs);
}

FluidCollective of_all(const ClusterSpec& cluster, double latency, double alone, double volume) {
  const int per_machine = static_cast<int>(cluster.machine.device_count());
  return {{cluster.machines, per_machine}, Seconds(latency), Seconds(alone), Bytes(volume)};
}

// Alone, the cost model's time to the picosecond in each of the two parts.
TEST(FluidCollective, AloneTakesTheTimeItWasGiven) {
  const ClusterSpec four = network_of(4, "10gbe");
  for (const double alone : {2e-4, 0.0123456789, 0.7}) {
    EXPECT_NEAR(time_of(four, of_all(four, 1e-4, alone, 1e6), 1).si(), alone, 2e-12);
  }
  EXPECT_NEAR(time_of(four, of_all(four, 1e-4, 1e-4, 1e6), 1).si(), 1e-4, 1e-12);
}

// One machine that plays all gives what all give.
TEST(FluidCollective, OneMachineStandsForAll) {
  const ClusterSpec eight = network_of(8, "10gbe");
  const FluidCollective one = of_all(eight, 1e-4, 0.1, 1e8);
  for (const int jobs : {1, 3}) {
    EXPECT_NEAR(time_of(eight, one, jobs) / time_of_all(eight, one, jobs), 1, 1e-9) << jobs;
  }
}

// Start-up does not stretch: only the data of two collectives share the link.
TEST(FluidCollective, ContentionStretchesTheDataOnly) {
  const ClusterSpec two = network_of(2, "1gbe");
  const double rate = two.network->achieved.si();
  const FluidCollective one = of_all(two, 0.04, 0.04 + 1e7 / rate, 1e7);
  EXPECT_NEAR(time_of(two, one, 4).si(), 0.04 + 4 * 1e7 / rate, 1e-6);
}

TEST(JointRoute, WorkersThatPushToOneServerDivideItsLink) {
  const ClusterSpec five = network_of(5, "10gbe");
  Platform platform;
  FabricPlatform fabric(platform, five, kStaging);
  const std::pair<int, int> pushes[] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}};
  TaskGraphBuilder joint;
  joint.add(transfer_task(Bytes(1e8), fabric.joint_route(pushes)));
  TaskGraphBuilder separate;
  for (const auto& [from, to] : pushes) {
    separate.add(transfer_task(Bytes(1e8), fabric.route(from, to, 1)));
  }
  EXPECT_EQ(fabric.joint_route(pushes), fabric.joint_route(pushes));
  const SimTime together = schedule(std::move(joint).build(), platform).makespan;
  const SimTime one_by_one = schedule(std::move(separate).build(), platform).makespan;
  EXPECT_NEAR(together.seconds() / one_by_one.seconds(), 1, 1e-9);
  EXPECT_NEAR(together.seconds().si(), 4e8 / five.network->achieved.si(), 1e-3);
}

// Published times of all-reduces that run beside one another on the same machines.
std::vector<Measurement> published(const char* file, const std::string& series) {
  std::vector<Measurement> out;
  for (Measurement& m : read_measurements(kRoot / "traces/recorded/published" / file).results) {
    if (m.text("series") == series) out.push_back(std::move(m));
  }
  return out;
}

// 1 GbE, 10, 20 and 40 MB, 2 to 16 jobs. Jobs that ran alone give the rate of the link (their time
// grows by 10.6 ms a MB: 99 MB/s, which two machines' rings reach and three machines' could not)
// and the start-up of each size; the rest is contention: k jobs take about k times.
TEST(FluidCollective, JobsSideBySideOnGigabitEthernetTakeAsLongAsMeasured) {
  const char* file = "concurrent-all-reduce-1gbe.json";
  std::map<std::int64_t, double> alone;
  for (const Measurement& m : published(file, "alone")) alone[m.integer("bytes")] = m.value().si();
  ClusterSpec two = network_of(2, "1gbe");
  const auto [large, slowest] = *alone.rbegin();
  two.network->achieved =
      BytesPerSecond(static_cast<double>(large - 20971520) / (slowest - alone.at(20971520)));
  EXPECT_NEAR(two.network->achieved.si(), 99e6, 1e6);
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Measurement& m : published(file, "together")) {
    const auto bytes = static_cast<double>(m.integer("bytes"));
    const double time = alone.at(m.integer("bytes"));
    const double latency = std::max(0.0, time - bytes / two.network->achieved.si());
    const auto jobs = static_cast<int>(m.integer("jobs"));
    if (jobs < 2) continue;
    predicted.push_back(time_of(two, of_all(two, latency, time, bytes), jobs).si());
    measured.push_back(m.value().si());
  }
  ASSERT_EQ(predicted.size(), 45u);
  const ErrorSummary errors = summarize_errors(predicted, measured);
  EXPECT_LT(errors.mape, 0.10);
  EXPECT_LT(errors.max_ape, 0.20);
}

// 100 MB over 2 to 8 machines, 2 to 8 jobs, a network of 10 Gb/s by its highest rate. One job alone
// takes half of the link, so two jobs take little more than one: what the catalog's link rate and
// the job's own rate say together.
TEST(FluidCollective, JobsSideBySideOnTenGigabitEthernetTakeAsLongAsMeasured) {
  std::map<std::int64_t, double> alone;
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Measurement& m : published("concurrent-all-reduce-10gbe.json", "together")) {
    const auto ranks = static_cast<int>(m.integer("ranks"));
    const auto jobs = static_cast<int>(m.integer("jobs"));
    if (jobs == 1) alone[ranks] = m.value().si();
    if (jobs == 1) continue;
    const double volume =
        static_cast<double>(m.integer("bytes")) * bus_factor(CollectiveOp::kAllReduce, ranks);
    const ClusterSpec cluster = network_of(ranks, "10gbe");
    predicted.push_back(time_of(cluster, of_all(cluster, 0, alone.at(ranks), volume), jobs).si());
    measured.push_back(m.value().si());
  }
  ASSERT_EQ(predicted.size(), 49u);
  const ErrorSummary errors = summarize_errors(predicted, measured);
  EXPECT_LT(errors.mape, 0.15);
  EXPECT_LT(errors.max_ape, 0.30);
}

}  // namespace
}  // namespace paceline
