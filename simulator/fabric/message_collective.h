// A collective of no particular library, message by message: what an algorithm of
// simulator/collectives/ takes on the links of a cluster, where its messages meet each other and
// those of equal collectives. Rates and latencies are the links' own; no protocol, no launch, no
// additions. docs/models/collectives.md, "Closed forms and messages".
#pragma once

#include <string>

#include "model/hardware/machine_paths.h"
#include "simulator/collectives/collective_algorithm.h"

namespace paceline {

struct MessageCollective {
  std::string algorithm;  // of collective_registry()
  CollectiveShape shape;  // the group's ranks are the first of the cluster
  int jobs = 1;           // equal collectives over the same ranks that start at once
};

struct MessageRun {
  Seconds time;         // until all have ended
  Seconds latency;      // the same with one byte instead of the data
  std::string busiest;  // the link that was busy longest, in words
  double busy = 0;      // its share of the time
  std::size_t messages = 0;
};

// Parameter servers of several machines are machines of their own, like the workers'; inside one
// machine the server is host memory, each device's nearest.
// Throws UsageError if the algorithm cannot run this shape, or the messages are more than
// kMostMessages; InputError if ranks are not connected.
MessageRun run_messages(const ClusterSpec& cluster, const StagingModel& staging,
                        const MessageCollective& collective);

inline constexpr double kMostMessages = 2e6;

}  // namespace paceline
