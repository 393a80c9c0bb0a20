// The common shape of MXNet's key-value stores: every tensor is a key that is pushed when its
// gradient is final and pulled into the weights that the next forward pass of its layer waits for;
// keys do not wait for one another (src/kvstore/kvstore_local.h, the dependency engine).
#pragma once

#include "simulator/strategies/parts/local_ranks.h"

namespace paceline {

class KvStoreRun : public Aggregation {
 public:
  explicit KvStoreRun(JobBuilder& job) : job_(job) {}

  void gradient_ready(std::uint32_t gradient) final {
    if (job_.spec().ranks() > 1) push_and_pull(gradient, job_.gradients()[gradient].bytes);
  }
  void update() final {
    if (job_.spec().ranks() == 1) job_.update(0, job_.spec().profile.gradient_bytes(), {});
  }

 protected:
  // The layer nearest to the input first: it is needed first.
  static std::int16_t priority(std::uint32_t gradient) {
    return static_cast<std::int16_t>(30000 - static_cast<int>(gradient));
  }
  // A copy of the key to host memory from every rank, as each is final.
  std::vector<TaskId> gather_on_host(std::uint32_t gradient, Bytes bytes) {
    std::vector<TaskId> here;
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      const TaskId after[] = {job_.ready(rank, gradient)};
      here.push_back(job_.copy(job_.fabric().to_host(rank), bytes, rank, after,
                               job_.queue(rank, "d2h"), priority(gradient)));
    }
    return here;
  }
  // The weights of the key from host memory to every rank.
  void spread_from_host(std::uint32_t gradient, Bytes bytes, TaskId updated) {
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      job_.set_weights_ready(rank, gradient,
                             job_.copy(job_.fabric().from_host(rank), bytes, -1, {&updated, 1},
                                       job_.queue(rank, "h2d"), priority(gradient)));
    }
  }
  // Copies of the key on one rank from all others and of its own, into buffers of the store, and
  // their sum there (CommDevice::Reduce, src/kvstore/comm.h).
  TaskId sum_on(int owner, std::uint32_t gradient, Bytes bytes) {
    std::vector<TaskId> here = {copy_on(owner, bytes, job_.ready(owner, gradient))};
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      if (rank == owner) continue;
      const TaskId after[] = {job_.ready(rank, gradient)};
      here.push_back(job_.copy(between(job_, rank, owner), bytes, rank, after));
    }
    return job_.kernel(owner, static_cast<double>(job_.ranks()) * bytes, bytes, here,
                       job_.queue(owner, "adds"));
  }
  // Weights go through the buffer of the sum to every rank, the owner too (CommDevice::Broadcast).
  void spread_from(int owner, std::uint32_t gradient, Bytes bytes, TaskId updated) {
    const TaskId buffered = copy_on(owner, bytes, updated);
    job_.set_weights_ready(owner, gradient, copy_on(owner, bytes, buffered));
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      if (rank == owner) continue;
      job_.set_weights_ready(rank, gradient,
                             job_.copy(between(job_, owner, rank), bytes, owner, {&buffered, 1}));
    }
  }

  // A copy of the key on one rank.
  TaskId copy_on(int rank, Bytes bytes, TaskId after) {
    return job_.kernel(rank, bytes, bytes, {&after, 1}, job_.queue(rank, "adds"));
  }

  virtual void push_and_pull(std::uint32_t gradient, Bytes bytes) = 0;
  JobBuilder& job_;
};

}  // namespace paceline
