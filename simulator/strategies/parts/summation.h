// Either way to sum a message over all ranks where all ranks do the same: collectives, or servers
// that add. The choice is the option "aggregation".
#pragma once

#include <memory>

#include "simulator/strategies/parts/message_reducer.h"
#include "simulator/strategies/parts/server_exchange.h"

namespace paceline {

// `fallback`: all-reduce or parameter-server.
std::vector<StrategyOption> summation_options(const std::string& fallback);

// Throws UsageError for options that cannot act in this job.
void check_summation(const JobSpec& job, const StrategyOptions& options);

class Summation {
 public:
  Summation(JobBuilder& job, const StrategyOptions& options);
  TaskId sum(Bytes bytes, std::span<const TaskId> after, bool coordinated = false,
             std::int16_t priority = 0);
  // How long a message takes from its start to the result when nothing else is sent.
  Seconds time(Bytes bytes) { return reducer_.time(bytes); }

 private:
  MessageReducer reducer_;
  std::unique_ptr<ServerExchange> servers_;
};

Bytes summation_bytes_sent(const JobSpec& job, const StrategyOptions& options, Bytes bytes);
Bytes summation_buffers(const JobSpec& job, const StrategyOptions& options);
std::vector<std::string> summation_remarks(const JobSpec& job, const StrategyOptions& options);

}  // namespace paceline
