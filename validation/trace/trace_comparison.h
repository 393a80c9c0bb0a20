// Holds a measured timeline against a prediction, layer by layer: which layer is off, by how much.
//
// A trace that paceline wrote names its layers, and these are matched by name; one of a job of
// several devices knows those with weights only, and the prediction is cut as it is. Of several
// ranks the first is compared. Otherwise layers and top-level operators of the trace are matched by
// kind and shape (conv2d and aten::conv2d of the same input and weight), the first of the workload
// with the first of the trace and so on; what is then left, or has no shape on record, by the
// longest common subsequence of kinds, so that operators without a counterpart (views, casts) do
// not shift the rest.
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
  std::vector<ComparedLayer> layers;  // of the workload in its order, then those of the trace alone
  Seconds predicted_optimizer;
  Seconds measured_optimizer;
  OtherTimes other;  // of the trace
  // Wall time of an iteration of the trace; zero if it marks none.
  Seconds measured_iteration;
  bool on_device = false;  // device work is compared; else host time, which includes dispatch
  bool simulated =
      false;  // a trace that paceline wrote: kernels are compared, whatever they run on
  std::size_t matched = 0;
  std::size_t joined = 0;  // layers that count with others (joined_layers.h)
};

// `graph` is what `plan` was made from.
TraceComparison compare_with_trace(const WorkloadGraph& graph, const IterationPlan& plan,
                                   const MeasuredTimeline& trace);

// The kind of a PyTorch operator in the words of kind_name (model/graph/op_attributes.h): "conv2d"
// of "aten::conv2d"; empty for operators that no layer of a workload stands for.
std::string traced_kind(const std::string& operation);

}  // namespace paceline
