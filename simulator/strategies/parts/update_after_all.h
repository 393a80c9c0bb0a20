// The common end of an iteration: every rank updates all weights when everything it waits for has
// arrived, and the next forward pass follows on the same stream.
#pragma once

#include <vector>

#include "simulator/job/aggregation.h"
#include "simulator/job/job_builder.h"

namespace paceline {

class UpdateAfterAll : public Aggregation {
 public:
  explicit UpdateAfterAll(JobBuilder& job) : job_(job) {}

  void update() override {
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      job_.update(rank, job_.spec().profile.gradient_bytes(), arrived_);
    }
    arrived_.clear();
  }

 protected:
  JobBuilder& job() { return job_; }
  // The update waits for this.
  void arrives(TaskId task) { arrived_.push_back(task); }

 private:
  JobBuilder& job_;
  std::vector<TaskId> arrived_;
};

}  // namespace paceline
