#include "simulator/fabric/concurrent_copies.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

const std::filesystem::path kCatalog = std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog";
const StagingModel kStaging{0.82, Seconds(10e-6)};

struct Box {
  explicit Box(const std::string& name)
      : cluster(read_cluster(kCatalog / "clusters" / (name + ".json"),
                             LinkCatalog::load(kCatalog / "links"))) {}

  // Each device's copy from the host; alone it takes the link's time.
  ConcurrentCopies from_host(const std::vector<std::size_t>& which, double bytes) const {
    const MachinePaths paths(cluster.machine, kStaging);
    const std::vector<std::size_t> devices = cluster.machine.of_kind(NodeKind::kDevice);
    std::vector<CopyOverPath> copies;
    for (const std::size_t i : which) {
      const MachinePath path = paths.from_host(devices.at(i));
      copies.push_back({path, path.latency + Bytes(bytes) / path.rate});
    }
    return time_of_copies(cluster, kStaging, copies, Bytes(bytes));
  }
  ClusterSpec cluster;
};

TEST(ConcurrentCopies, OneCopyTakesItsTimeAlone) {
  const Box box("pcie3-8gpu-dual-socket");
  const ConcurrentCopies one = box.from_host({0}, 1e8);
  EXPECT_FALSE(one.is_contended);
  EXPECT_NEAR(one.time.si() * 12.4e9 / 1e8, 1, 0.1);
}

// Devices below one switch share its uplink; devices of different sockets share nothing.
TEST(ConcurrentCopies, DevicesBelowOneSwitchShareItsUplink) {
  const Box dgx("dgx-1-v100");
  const double one = dgx.from_host({0}, 1e8).time.si();
  const ConcurrentCopies neighbours = dgx.from_host({0, 1}, 1e8);
  EXPECT_TRUE(neighbours.is_contended);
  EXPECT_NEAR(neighbours.time.si() / one, 2, 0.01);
  EXPECT_NE(neighbours.shared.find("pcie3"), std::string::npos) << neighbours.shared;
  EXPECT_FALSE(dgx.from_host({0, 7}, 1e8).is_contended);
}

}  // namespace
}  // namespace paceline
