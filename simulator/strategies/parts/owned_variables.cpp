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
  void aggregate(std::uint32_t gradient, Bytes bytes) override {
    const int owner = owners_[gradient];
    std::vector<TaskId> here = {job_.ready(owner, gradient)};
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      if (rank == owner) continue;
      const TaskId after[] = {job_.ready(rank, gradient)};
      here.push_back(job_.copy(between(job_, rank, owner), bytes, rank, after));
    }
    arrived_.push_back({gradient, std::move(here)});
  }
  void end_backward() override {
    for (const Arrived& one : arrived_) {
      const int owner = owners_[one.gradient];
      const Bytes bytes = job_.gradients()[one.gradient].bytes;
      const TaskId sum = job_.kernel(owner, static_cast<double>(job_.ranks()) * bytes, bytes,
                                     one.here, job_.compute(owner));
      is_updated(job_.update(owner, bytes, {&sum, 1}));
    }
    arrived_.clear();
  }

 protected:
  TaskId fetch(int rank, std::uint32_t gradient, TaskId after) override {
    const int owner = owners_[gradient];
    if (rank == owner) return after;
    return job_.copy(between(job_, owner, rank), job_.gradients()[gradient].bytes, owner,
                     {&after, 1}, job_.queue(rank, "fetches"));
  }

 private:
  // A gradient with what of it is on its owner.
  struct Arrived {
    std::uint32_t gradient;
    std::vector<TaskId> here;
  };
  std::vector<int> owners_;
  std::vector<Arrived> arrived_;
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
