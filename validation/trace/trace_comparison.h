// Holds a measured timeline against a prediction, layer by layer: which layer is off, by how much.
//
// The layers of the workload and the top-level operators of the trace are two lists in forward
// order. They are matched by the longest common subsequence of their kinds (conv2d and
// aten::conv2d, ...; Hunt and Szymanski 1977 call it differential comparison), so that operators
// that have no counterpart (views, casts) do not shift the rest.
#pragma once

#include <string>
#include <vector>

#include "model/graph/workload_graph.h"
#include "model/plan/iteration_plan.h"
#include "traces/timeline/measured_timeline.h"

namespace paceline {

// Either side may be absent: names are then empty and times zero.
struct ComparedLayer {
  std::string layer;      // of the workload
  std::string operation;  // of the trace, with its module if known
  LayerTime predicted;
  LayerTime measured;
  bool matched() const { return !layer.empty() && !operation.empty(); }
  // predicted - measured, both passes.
  Seconds difference() const {
    return predicted.forward + predicted.backward - measured.forward - measured.backward;
  }
};

struct TraceComparison {
  std::vector<ComparedLayer> layers;  // in forward order
  Seconds predicted_optimizer;
  Seconds measured_optimizer;
  OtherTimes other;  // of the trace
  // Wall time of an iteration of the trace; zero if it marks none.
  Seconds measured_iteration;
  bool on_device = false;  // device work is compared; else host time, which includes dispatch
  std::size_t matched = 0;
};

// `graph` is what `plan` was made from.
TraceComparison compare_with_trace(const WorkloadGraph& graph, const IterationPlan& plan,
                                   const MeasuredTimeline& trace);

// The kind of a PyTorch operator in the words of kind_name (model/graph/op_attributes.h): "conv2d"
// of "aten::conv2d"; empty for operators that no layer of a workload stands for.
std::string traced_kind(const std::string& operation);

}  // namespace paceline
