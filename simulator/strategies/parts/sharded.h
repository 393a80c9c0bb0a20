// Data parallelism that keeps only a shard of optimizer state, gradients or weights on each device
// (ZeRO, Rajbhandari et al. 2020; PyTorch FSDP). What is sharded decides what is gathered when.
#pragma once

#include <string>
#include <vector>

#include "simulator/strategies/strategy.h"

namespace paceline {

struct Sharding {
  bool weights = false;  // gathered before forward, and before backward unless kept
  bool keep_after_forward = false;
  bool gradients = false;      // scattered as sums while backward goes on; else all-reduced
  bool hybrid = false;         // shards inside a machine, all-reduce of shards between machines
  bool overlap = true;         // messages beside the backward pass; else the device waits for each
  bool offload = false;        // optimizer on the processor
  bool prefetch = true;        // the next unit is gathered while one computes
  std::string wrap = "block";  // units: block, layer
  Bytes bucket;                // of gradients that are scattered together; 0: a unit
  Bytes reduced_element;       // what gradients are cast to before they are summed; 0: nothing else
};

// Devices over which one copy of the model is spread.
int shard_count(const JobSpec& job, const Sharding& sharding);
std::unique_ptr<Aggregation> start_sharded(JobBuilder& job, const Sharding& sharding);
Bytes sharded_bytes_sent(const JobSpec& job, const Sharding& sharding);
// Unsharded units that are on the device at once, and one unit's gradients as they are summed if
// that is another type.
Bytes gathered_bytes(const JobSpec& job, const Sharding& sharding);

}  // namespace paceline
