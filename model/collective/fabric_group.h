// The fabric as one group of ranks sees it: how fast data can go round, what limits it, and which
// class of measured machines it belongs to.
#pragma once

#include <string>
#include <vector>

#include "model/collective/nccl_tuning.h"
#include "model/hardware/ring_bandwidth.h"

namespace paceline {

struct FabricGroup {
  CollectiveGroup group;
  // "nvswitch2", "nvlink2-cube-mesh", "pcie3", "400g-ib": fits are looked up by it. The network of
  // a group that spans machines, else the links inside.
  std::string fabric_class;
  std::string inner_class;      // of the links inside a machine; empty with one rank a machine
  BytesPerSecond inner_rate;    // round all ranks of a machine; 0 with one rank a machine
  BytesPerSecond network_rate;  // in and out of a machine, all cards; 0 within one machine
  BytesPerSecond bus_rate;      // the smaller
  BytesPerSecond ceiling;       // the same with what data sheets promise: no bus rate exceeds it
  // Bus rate at which all ranks can exchange data with all others; the ring's where nothing is
  // shared. Inside a machine: the same of its ranks alone; 0 with one rank a machine.
  BytesPerSecond exchange_rate;
  BytesPerSecond inner_exchange_rate;
  int connections = 0;  // that carry one machine's data; 0 within one machine
  Seconds inner_latency;
  // Of a typed latency: what a hop takes beyond links of such a rate.
  Seconds inner_extra;
  Seconds network_extra;
  Seconds network_latency;
  // Neighbours in its ring that the device with most of them reaches without host memory.
  int direct_neighbours = 0;
  std::string bottleneck;  // the limiting hop in words
  std::string remedy;      // what would lift it, where connections are fewer than the network needs
  NcclGraph graph;
};

// The rate at which the operation's data cross the fabric: exchange_rate for all-to-all.
BytesPerSecond bus_rate_of(CollectiveOp op, const FabricGroup& fabric);

// `per_machine` ranks on the first devices of each of `machines` machines. `connections` is how
// many network connections carry the data of one machine, where one is limited (TCP); 0: as many as
// NCCL opens. Throws UsageError if the cluster is smaller, InputError if devices are not
// connected.
FabricGroup fabric_group(const ClusterSpec& cluster, const CollectiveGroup& group,
                         const StagingModel& staging, const NcclTuning& tuning,
                         const std::string& generation, int connections);

// The same ranks of each machine on another number of machines. Of a fabric that spans machines
// nothing but the group and the exchange between all ranks depends on it; both numbers are at
// least 2.
FabricGroup on_machines(FabricGroup fabric, int machines);

// All ranks of the cluster, or the first `ranks`: whole machines, or part of one. Throws UsageError
// if they fill several machines unevenly, InputError if they are more than the cluster has.
CollectiveGroup group_of(const ClusterSpec& cluster, int ranks);

}  // namespace paceline
