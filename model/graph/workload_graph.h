// The forward graph of one network at one batch size: operations in topological order, the loss
// last. Backward and update follow from it (work.h, and the framework's own order in
// simulator/frameworks). Made by WorkloadBuilder; changed by the rewrites in model/graph/rewrite.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "model/graph/op.h"

namespace paceline {

// Order of the dimensions of images in memory.
enum class ImageLayout { kChannelsFirst, kChannelsLast };

class WorkloadGraph {
 public:
  const std::string& name() const { return name_; }
  std::int64_t batch() const { return batch_; }
  // Tokens per sample for workloads measured in tokens.
  std::optional<std::int64_t> tokens_per_sample() const { return tokens_per_sample_; }
  ImageLayout layout() const { return layout_; }
  // Arithmetic of the matrix and convolution operations; tensors carry their own storage type.
  Precision matrix_precision() const { return matrix_precision_; }

  const std::vector<Op>& ops() const { return ops_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const Tensor& tensor(TensorId id) const { return tensors_[static_cast<std::size_t>(id)]; }
  const TensorShape& shape(TensorId id) const { return tensor(id).shape; }
  // What is copied to the device before an iteration: samples, token ids, class indices.
  const std::vector<TensorId>& inputs() const { return inputs_; }
  // The tensor that owns the memory of `id`: follows alias_of to its end.
  TensorId storage(TensorId id) const;

  // Trainable values, and their number of separate tensors (an optimizer loop's length). Shared
  // parameters count once; frozen ones only in all_parameters.
  std::int64_t parameters() const;
  std::int64_t parameter_tensors() const;
  std::int64_t all_parameters() const;
  // One forward pass of the whole batch, matrix and convolution work only, 1 multiply-add = 2 FLOP.
  Flops forward_flops() const;
  // Forward, dgrad (except into the network's input) and wgrad.
  Flops training_flops() const;
  // What forward keeps for backward, each storage once.
  Bytes saved_bytes() const;

 private:
  friend class WorkloadBuilder;
  friend class GraphRewriter;
  std::string name_;
  std::int64_t batch_ = 0;
  std::optional<std::int64_t> tokens_per_sample_;
  ImageLayout layout_ = ImageLayout::kChannelsFirst;
  Precision matrix_precision_ = Precision::kFp32;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
  std::vector<TensorId> inputs_;
};

}  // namespace paceline
