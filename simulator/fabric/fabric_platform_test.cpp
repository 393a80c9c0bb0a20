#include "simulator/fabric/fabric_platform.h"

#include <gtest/gtest.h>

#include "model/hardware/cluster_builder.h"
#include "simulator/collectives/collective_algorithm.h"
#include "simulator/engine/engine.h"

namespace paceline {
namespace {

const std::filesystem::path kCatalog = std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog";
const StagingModel kStaging{0.82, Seconds(10e-6)};

ClusterSpec shipped(const std::string& name) {
  return read_cluster(kCatalog / "clusters" / (name + ".json"),
                      LinkCatalog::load(kCatalog / "links"));
}

ClusterSpec network_of(int machines, const char* net, const char* transport) {
  ClusterFlags flags;
  flags.gpus = machines;
  flags.gpus_per_node = 1;
  flags.net = net;
  flags.transport = transport;
  return build_cluster(flags, LinkCatalog::load(kCatalog / "links"));
}

// Rate of `pairs` copies of 256 MB at once, all together.
double concurrent_rate(const ClusterSpec& cluster, const std::vector<std::pair<int, int>>& pairs) {
  Platform platform;
  FabricPlatform fabric(platform, cluster, kStaging);
  TaskGraphBuilder builder;
  constexpr double kBytes = 256e6;
  for (const auto& [from, to] : pairs) {
    builder.add(transfer_task(Bytes(kBytes), fabric.route(from, to, 1)));
  }
  const SimTime time = schedule(std::move(builder).build(), platform).makespan;
  return kBytes * static_cast<double>(pairs.size()) / time.seconds().si();
}

// Tartan (IISWC 2018), DGX-1 P100 without peers: devices 0 and 1 hang below one switch, so both
// directions together reach one uplink's rate, 10.5 GB/s; devices 0 and 2 have an uplink each and
// reach 18 GB/s.
TEST(FabricPlatform, StagedCopiesShareTheUplinkOfTheirSwitch) {
  ClusterSpec dgx = shipped("dgx-1-p100");
  std::erase_if(dgx.machine.links,
                [](const MachineLink& link) { return link.link.kind == LinkKind::kNvlink; });
  dgx.machine.peer_access = PeerAccess::kNone;
  const double same_switch = concurrent_rate(dgx, {{0, 1}, {1, 0}});
  const double two_switches = concurrent_rate(dgx, {{0, 2}, {2, 0}});
  EXPECT_NEAR(same_switch / 10.45e9, 1, 0.25);
  EXPECT_NEAR(two_switches / 18.0e9, 1, 0.25);
}

// The same matrix with peers: both directions of an NVLink are independent, 36.8 GB/s together.
TEST(FabricPlatform, NvlinkIsFullDuplex) {
  EXPECT_NEAR(concurrent_rate(shipped("dgx-1-p100"), {{0, 3}, {3, 0}}) / 36.8e9, 1, 0.02);
}

// Two receivers behind one card get half each; two cards serve both at full rate.
TEST(FabricPlatform, MachinesShareTheirNetworkCards) {
  const ClusterSpec three = network_of(3, "100g-ib", "rdma");
  const double one = concurrent_rate(three, {{0, 1}});
  EXPECT_NEAR(concurrent_rate(three, {{0, 1}, {0, 2}}) / one, 1, 0.01);
  EXPECT_NEAR(concurrent_rate(three, {{0, 2}, {1, 0}}) / one, 2, 0.01);
}

TEST(FabricPlatform, OneTcpConnectionIsSlowerThanTwo) {
  const ClusterSpec three = network_of(3, "100gbe", "tcp");
  const double one = concurrent_rate(three, {{0, 1}});
  EXPECT_NEAR(one, 1.25e9, 0.02e9);
  EXPECT_NEAR(concurrent_rate(three, {{0, 1}, {0, 2}}) / one, 2, 0.01);
}

double all_reduce_time(const ClusterSpec& cluster, double bytes, int jobs) {
  Platform platform;
  FabricPlatform fabric(platform, cluster, kStaging);
  const auto ring = collective_registry().make("ring");
  CollectiveShape shape;
  shape.bytes = Bytes(bytes);
  shape.group = {cluster.machines, 1};
  TaskGraphBuilder builder;
  std::vector<TaskId> start;
  for (int rank = 0; rank < shape.ranks(); ++rank) start.push_back(builder.add(fixed_task({})));
  CollectiveEmitter emitter(builder, fabric, {});
  for (int job = 0; job < jobs; ++job) ring->emit(shape, start, emitter);
  return schedule(std::move(builder).build(), platform).makespan.seconds().si();
}

// Jobs whose all-reduces run at once on the same machines: 1, 2, 4, 8 and 16 jobs with 10 MB took
// 144, 219, 406, 831 and 2050 ms on 1 GbE (HKBU-HPML/dl-scheduling): from four jobs on, in
// proportion to the number of jobs within a quarter.
TEST(FabricPlatform, ConcurrentAllReducesTakeTurnsOnTheNetwork) {
  const ClusterSpec four = network_of(4, "1gbe", "tcp");
  const double one = all_reduce_time(four, 10485760, 1);
  for (const int jobs : {2, 4, 8, 16}) {
    EXPECT_NEAR(all_reduce_time(four, 10485760, jobs) / one, jobs, 0.05 * jobs) << jobs;
  }
}

// A stretchable collective slows down exactly as its messages would.
TEST(FabricPlatform, FluidCollectivesShareLikeTheirMessages) {
  const ClusterSpec four = network_of(4, "10gbe", "tcp");
  Platform platform;
  FabricPlatform fabric(platform, four, kStaging);
  const SimTime alone = SimTime::from(Seconds(0.1));
  const BytesPerSecond full = four.network->achieved;
  TaskGraphBuilder builder;
  for (int job = 0; job < 3; ++job) {
    builder.add(stretchable_task(alone, fabric.ring_route({4, 1}, full)));
  }
  const double time = schedule(std::move(builder).build(), platform).makespan.seconds().si();
  EXPECT_NEAR(time, 0.3, 1e-6);
}

// Over the real links of a machine a ring cannot beat its closed form.
TEST(FabricPlatform, RingOverNvswitchMatchesItsClosedForm) {
  const ClusterSpec dgx = shipped("dgx-a100");
  Platform platform;
  FabricPlatform fabric(platform, dgx, kStaging);
  const auto ring = collective_registry().make("ring");
  CollectiveShape shape;
  shape.bytes = Bytes(100e6);
  shape.group = {1, 8};
  TaskGraphBuilder builder;
  std::vector<TaskId> start;
  for (int rank = 0; rank < 8; ++rank) start.push_back(builder.add(fixed_task({})));
  CollectiveEmitter emitter(builder, fabric, {});
  ring->emit(shape, start, emitter);
  const double simulated = schedule(std::move(builder).build(), platform).makespan.seconds().si();
  const formula::LinkCost<double> link{1.2e-6, 274.5e9};
  EXPECT_NEAR(simulated, formula::ring_all_reduce_time(8, 100e6, link), 20e-12);
}

}  // namespace
}  // namespace paceline
