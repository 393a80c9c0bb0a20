#include "model/graph/workload_graph.h"

#include "model/graph/work.h"

namespace paceline {

TensorId WorkloadGraph::storage(TensorId id) const {
  while (tensor(id).alias_of) id = *tensor(id).alias_of;
  return id;
}

std::int64_t WorkloadGraph::parameters() const {
  std::int64_t sum = 0;
  for (const Op& op : ops_) {
    if (!op.trainable) continue;
    for (const std::int64_t size : parameter_sizes(op)) sum += size;
  }
  return sum;
}

std::int64_t WorkloadGraph::parameter_tensors() const {
  std::size_t count = 0;
  for (const Op& op : ops_) count += op.trainable ? parameter_sizes(op).size() : 0;
  return static_cast<std::int64_t>(count);
}

std::int64_t WorkloadGraph::all_parameters() const {
  std::int64_t sum = 0;
  for (const Op& op : ops_) {
    for (const std::int64_t size : parameter_sizes(op)) sum += size;
  }
  return sum;
}

Flops WorkloadGraph::forward_flops() const {
  Flops sum;
  for (const Op& op : ops_) sum += pass_flops(*this, op, Pass::kForward);
  return sum;
}

Flops WorkloadGraph::training_flops() const {
  Flops sum = forward_flops();
  for (const Op& op : ops_) {
    sum += pass_flops(*this, op, Pass::kDgrad) + pass_flops(*this, op, Pass::kWgrad);
  }
  return sum;
}

Bytes WorkloadGraph::saved_bytes() const {
  Bytes sum;
  std::vector<bool> counted(tensors_.size(), false), dropped(tensors_.size(), false);
  const auto count = [&](const SavedBuffer& buffer) {
    if (buffer.tensor) {
      const auto index = static_cast<std::size_t>(*buffer.tensor);
      if (counted[index]) return;
      counted[index] = true;
    }
    sum += buffer.bytes;
  };
  for (const Op& op : ops_) {
    dropped[static_cast<std::size_t>(op.output)] = op.recomputed;
    if (!op.recomputed) {
      for (const SavedBuffer& buffer : saved_buffers(*this, op)) {
        if (!buffer.tensor || !dropped[static_cast<std::size_t>(*buffer.tensor)]) count(buffer);
      }
      continue;
    }
    // What a recomputed operation reads must be there again, unless it is recomputed itself.
    for (const TensorId input : op.inputs) {
      const TensorId owner = storage(input);
      if (!dropped[static_cast<std::size_t>(input)]) count({owner, tensor(owner).bytes()});
    }
  }
  return sum;
}

}  // namespace paceline
