// Parameter servers that only add, as BytePS has them: inside a machine NCCL scatters the sum over
// its devices, each brings its shard to host memory, the machine pushes the piece to a server, the
// server adds the pieces of all machines, and the way back is the same.
#pragma once

#include <string>
#include <vector>

#include "simulator/strategies/strategy.h"

namespace paceline {

// servers, colocated, partition; all of them only with aggregation=parameter-server if `choice`.
std::vector<StrategyOption> server_options(bool choice);

class ServerExchange {
 public:
  ServerExchange(JobBuilder& job, const StrategyOptions& options);
  // The sum of `bytes` of gradients is on the device after the returned task. Pieces of higher
  // priority go first.
  TaskId exchange(Bytes bytes, std::span<const TaskId> after, std::int16_t priority = 0);

 private:
  TaskId piece(Bytes bytes, TaskId after, std::int16_t priority);
  TaskId inside(CollectiveOp op, Bytes bytes, TaskId after, std::int16_t priority);
  TaskId through_server(Bytes bytes, TaskId after, std::int16_t priority);

  JobBuilder& job_;
  Bytes partition_;
  int servers_ = 1;
  bool colocated_ = false;
  int next_server_ = 0;
};

// Throws UsageError where options of servers have no effect: inside one machine there are none.
void check_servers(const JobSpec& job, const StrategyOptions& options);
// Servers of a job: as many as it has machines unless set.
int server_count(const JobSpec& job, const StrategyOptions& options);
Bytes server_bytes_sent(const JobSpec& job, Bytes bytes);
std::vector<std::string> server_remarks(const JobSpec& job, const StrategyOptions& options);

}  // namespace paceline
