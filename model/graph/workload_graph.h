// The forward graph of one network at one batch size: operations in topological order. Backward and
// update follow from it (work.h, and the framework's own order in simulator/frameworks).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "model/graph/op.h"

namespace paceline {

class WorkloadGraph {
 public:
  const std::string& name() const { return name_; }
  std::int64_t batch() const { return batch_; }
  // Tokens per sample for workloads measured in tokens.
  std::optional<std::int64_t> tokens_per_sample() const { return tokens_per_sample_; }

  const std::vector<Op>& ops() const { return ops_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const Tensor& tensor(TensorId id) const { return tensors_[static_cast<std::size_t>(id)]; }

  // Trainable values, and their number of separate tensors (an optimizer loop's length).
  std::int64_t parameters() const;
  std::int64_t parameter_tensors() const;
  // One forward pass of the whole batch, matrix and convolution work only, 1 multiply-add = 2 FLOP.
  Flops forward_flops() const;
  // Forward, dgrad (except into the network's input) and wgrad.
  Flops training_flops() const;

 private:
  friend class WorkloadBuilder;
  std::string name_;
  std::int64_t batch_ = 0;
  std::optional<std::int64_t> tokens_per_sample_;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
};

}  // namespace paceline
