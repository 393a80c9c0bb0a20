#include "simulator/strategies/parts/owned_variables.h"

#include <map>

#include "simulator/strategies/parts/local_ranks.h"

namespace paceline {
namespace {

// Inside one machine: what has been updated, and how the next step comes by it.
class InOneMachine : public OwnedVariables {
 public:
  InOneMachine(JobBuilder& job, bool staged) : OwnedVariables(job), staged_(staged) {}

 protected:
  // From the owner to this rank, one variable after another.
  virtual TaskId fetch(int rank, std::uint32_t gradient, TaskId after) = 0;
  void is_updated(TaskId updated) { updated_.push_back(updated); }
  void finish() override {
    const TaskId all = job_.join(updated_);
    updated_.clear();
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      std::vector<TaskId> fetched;
      for (std::uint32_t i = 0; i < job_.gradients().size(); ++i) {
        fetched.push_back(fetch(rank, i, all));
      }
      std::vector<TaskId>& before = before_[rank];
      const std::vector<TaskId>& used = staged_ && !before.empty() ? before : fetched;
      for (std::uint32_t i = 0; i < used.size(); ++i) job_.set_weights_ready(rank, i, used[i]);
      before = fetched;
    }
  }

 private:
  bool staged_;
  std::vector<TaskId> updated_;
  std::map<int, std::vector<TaskId>> before_;  // fetched for the step that is over
};

class OnProcessors : public InOneMachine {
 public:
  using InOneMachine::InOneMachine;
  void aggregate(std::uint32_t gradient, Bytes bytes) override {
    std::vector<TaskId> here;
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      const TaskId after[] = {job_.ready(rank, gradient)};
      here.push_back(
          job_.copy(job_.fabric().to_host(rank), bytes, rank, after, job_.queue(rank, "d2h")));
    }
    // n - 1 additions, and one more pass that updates.
    is_updated(job_.processor_add(static_cast<double>(job_.ranks()) * bytes, kAllThreads, here,
                                  job_.queue(-1, "adds")));
  }

 protected:
  TaskId fetch(int rank, std::uint32_t gradient, TaskId after) override {
    return job_.copy(job_.fabric().from_host(rank), job_.gradients()[gradient].bytes, -1,
                     {&after, 1}, job_.queue(rank, "h2d"));
  }
};

class OnDevices : public InOneMachine {
 public:
  OnDevices(JobBuilder& job, std::vector<int> owners, bool staged)
      : InOneMachine(job, staged), owners_(std::move(owners)) {}
  void aggregate(std::uint32_t gradient, Bytes) override { final_.push_back(gradient); }
  // A copy waits for the streams of both devices, and the owner's holds its whole backward pass.
  void end_backward() override {
    std::vector<TaskId> computed;
    for (int rank = 0; rank < job_.ranks(); ++rank) computed.push_back(job_.latest(rank));
    std::vector<std::vector<TaskId>> arrived;
    for (const std::uint32_t gradient : final_) arrived.push_back(copies(gradient, computed));
    for (std::size_t i = 0; i < final_.size(); ++i) {
      const int owner = owners_[final_[i]];
      const Bytes bytes = job_.gradients()[final_[i]].bytes;
      const TaskId sum = job_.kernel(owner, static_cast<double>(job_.ranks()) * bytes, bytes,
                                     arrived[i], job_.compute(owner));
      is_updated(job_.update(owner, bytes, {&sum, 1}));
    }
    final_.clear();
  }

 protected:
  TaskId fetch(int rank, std::uint32_t gradient, TaskId after) override {
    const int owner = owners_[gradient];
    if (rank == owner) return after;
    return job_.copy(between(job_, owner, rank), job_.gradients()[gradient].bytes, owner,
                     {&after, 1}, job_.queue(rank, "fetches"));
  }

 private:
  // When each device's part of a gradient is on its owner.
  std::vector<TaskId> copies(std::uint32_t gradient, const std::vector<TaskId>& computed) {
    const int owner = owners_[gradient];
    std::vector<TaskId> there = {job_.ready(owner, gradient)};
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      if (rank == owner) continue;
      const TaskId after[] = {job_.ready(rank, gradient),
                              computed[static_cast<std::size_t>(owner)]};
      there.push_back(
          job_.copy(between(job_, rank, owner), job_.gradients()[gradient].bytes, rank, after));
    }
    return there;
  }

  std::vector<int> owners_;
  std::vector<std::uint32_t>
      final_;  // gradients, in the order in which the backward pass ends them
};

}  // namespace

std::unique_ptr<Aggregation> variables_on_processors(JobBuilder& job, bool staged) {
  return std::make_unique<OnProcessors>(job, staged);
}

std::unique_ptr<Aggregation> variables_on_devices(JobBuilder& job, std::vector<int> owners,
                                                  bool staged) {
  return std::make_unique<OnDevices>(job, std::move(owners), staged);
}

}  // namespace paceline
