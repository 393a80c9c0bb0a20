// One run of a strategy: it is told, in the order of issue, what the ranks compute, and adds what
// aggregation does in between. A strategy makes one for each simulation.
#pragma once

#include <cstdint>

namespace paceline {

class Aggregation {
 public:
  virtual ~Aggregation() = default;

  virtual void begin_iteration() {}
  // Before the forward or backward segment of this index is issued; `micro_batch` counts within
  // the iteration.
  virtual void before_forward(std::size_t /*segment*/, std::int64_t /*micro_batch*/) {}
  virtual void before_backward(std::size_t /*segment*/, std::int64_t /*micro_batch*/) {}
  // This gradient is final on every rank (JobBuilder::ready). Only in micro-batches that
  // synchronize.
  virtual void gradient_ready(std::uint32_t /*gradient*/) {}
  // The backward pass of a micro-batch that synchronizes has been issued.
  virtual void end_backward() {}
  // Updates the weights and says what the next forward pass waits for.
  virtual void update() = 0;
};

}  // namespace paceline
