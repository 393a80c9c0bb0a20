// The links of one machine of a job as shared resources, its network cables, and the cables of
// parameter servers: what the copies of a job share. Machines are alike, so one stands for all.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/hardware/machine_paths.h"
#include "simulator/engine/platform.h"
#include "simulator/job/job_conditions.h"

namespace paceline {

// What a copy takes on its way, before it is a route of a platform. Ways are joined end to end.
struct Way {
  std::vector<RouteUse> uses;
  Seconds latency;
  BytesPerSecond cap{std::numeric_limits<double>::infinity()};
  double share = 1;  // claim where ways compete (Route::share)

  // Takes `weight` of a resource per byte, once more if it is on the way already.
  void add(ResourceId resource, double weight);
  Way& operator+=(const Way& next);
};
inline Way operator+(Way a, const Way& b) { return a += b; }

class MachineFabric {
 public:
  // Adds both directions of every link of the machine to `platform`, and of its network cable.
  // Both must outlive this. Rates are those of the links under `conditions`.
  MachineFabric(Platform& platform, const ClusterSpec& cluster, const StagingModel& staging,
                const JobPriors& priors, const JobConditions& conditions);

  Way between(int from_device, int to_device) const;
  Way to_host(int device) const;
  Way from_host(int device) const;
  // Over the machine's cable to the network, with the network's latency; and back.
  Way to_network() const;
  Way from_network() const;
  // One more machine's cable: in and out. Adds it at the first call for `name`.
  Way into(const std::string& name, double weight);
  Way out_of(const std::string& name, double weight);
  // A limit that is no link: what a process passes on. Added at the first call for `name`.
  Way limit(const std::string& name, BytesPerSecond rate, double weight);

  // The route of this way; equal ways share one.
  RouteId route(const Way& way);
  // Whether the way leaves its machine.
  bool on_network(const Way& way) const;
  // Of memory of one processor, in one direction, as its link says.
  BytesPerSecond memory_rate() const;
  std::size_t devices() const { return devices_.size(); }
  // Some way has a limit that is no link.
  bool is_limited() const { return !limits_.empty(); }
  // The machine has no network.
  bool isolated() const { return cable_out_ == kNoResource; }

 private:
  // `key`: devices it goes from and to, kHost for memory. Found once.
  template <typename Find>
  const Way& known_way(std::pair<int, int> key, Find find) const;
  std::pair<ResourceId, ResourceId> cable(const std::string& name);
  BytesPerSecond rate_of(const LinkSpec& link) const;

  Platform* platform_;
  const ClusterSpec* cluster_;
  MachinePaths paths_;
  JobPriors priors_;
  JobConditions conditions_;
  std::vector<std::size_t> devices_;
  std::vector<ResourceId> links_;  // 2 * link + forward
  ResourceId cable_in_ = kNoResource;
  ResourceId cable_out_ = kNoResource;
  std::map<std::string, std::pair<ResourceId, ResourceId>> cables_;  // in, out
  std::map<std::string, ResourceId> limits_;
  std::map<std::vector<double>, RouteId> routes_;
  mutable std::map<std::pair<int, int>, Way> ways_;
};

}  // namespace paceline
