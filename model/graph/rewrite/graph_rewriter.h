// Write access to a finished graph, for the rewrites in this folder only: what frameworks change
// between the network as written and the operations they run.
#pragma once

#include <utility>
#include <vector>

#include "model/graph/workload_graph.h"

namespace paceline {

class GraphRewriter {
 public:
  explicit GraphRewriter(WorkloadGraph graph) : graph_(std::move(graph)) {}

  const WorkloadGraph& graph() const { return graph_; }
  std::vector<Op>& ops() { return graph_.ops_; }
  std::vector<Tensor>& tensors() { return graph_.tensors_; }
  Tensor& tensor(TensorId id) { return graph_.tensors_[static_cast<std::size_t>(id)]; }
  TensorId add_tensor(Tensor tensor) {
    graph_.tensors_.push_back(std::move(tensor));
    return static_cast<TensorId>(graph_.tensors_.size() - 1);
  }
  void set_layout(ImageLayout layout) { graph_.layout_ = layout; }
  void set_matrix_precision(Precision precision) { graph_.matrix_precision_ = precision; }

  WorkloadGraph finish() && { return std::move(graph_); }

 private:
  WorkloadGraph graph_;
};

}  // namespace paceline
