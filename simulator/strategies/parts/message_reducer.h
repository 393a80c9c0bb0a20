// Sums one message of gradients over all ranks, where all ranks do the same: compresses it, runs
// the collectives, unpacks the result. What strategies with messages share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/strategies/parts/power_sgd.h"
#include "simulator/strategies/strategy.h"

namespace paceline {

// aggregation, library, compression, density, rank, compression_time.
std::vector<StrategyOption> reducer_options();

// negotiation: of strategies whose ranks agree before each message (Horovod's background thread).
StrategyOption negotiation_option();

// Throws UsageError for options that cannot act in this job.
void check_reducer(const JobSpec& job, const StrategyOptions& options);

class MessageReducer {
 public:
  MessageReducer(JobBuilder& job, const StrategyOptions& options);

  // `bytes` of gradients that are final after `after`, in issue order. The result is on the device
  // after the returned task. `coordinated`: the ranks first agree that it is ready.
  TaskId reduce(Bytes bytes, std::span<const TaskId> after, bool coordinated = false);
  // The same by its time alone: from its start to the result, without kernels.
  Seconds time(Bytes bytes);

 private:
  // A kernel of a compressor, per byte of a message.
  struct Pass {
    double read = 0;
    double written = 0;
  };
  // `pass` over a message of `bytes`; its part of the measured time where one is given.
  TaskId run(const Pass& pass, Bytes bytes, std::span<const TaskId> after, ResourceId queue,
             double launches = 1);
  TaskId halved(Bytes bytes, std::span<const TaskId> after);
  Seconds agreement();
  TaskId exchange(Bytes bytes, std::span<const TaskId> after);
  TaskId sparse(Bytes bytes, std::span<const TaskId> after);
  TaskId low_rank(Bytes bytes, std::span<const TaskId> after);
  TaskId through_host(Bytes bytes, std::span<const TaskId> after);

  JobBuilder& job_;
  std::string aggregation_;
  std::string library_;
  std::string compression_;
  double density_ = 1;
  bool full_negotiation_ = false;
  double selection_traffic_ = 0;  // of sparse messages
  double selection_kernels_ = 0;
  int rank_ = 1;
  PowerSgdShares power_sgd_;
  std::vector<Pass> passes_;                 // of fp16 and power-sgd, in the order they run
  std::optional<Seconds> time_per_traffic_;  // measured, per byte read or written
};

// Bytes that a rank sends to reduce `bytes` of gradients in one message.
Bytes reducer_bytes_sent(const JobSpec& job, const StrategyOptions& options, Bytes bytes);
// Buffers of compression: residuals and packed messages.
Bytes reducer_buffers(const JobSpec& job, const StrategyOptions& options);

}  // namespace paceline
