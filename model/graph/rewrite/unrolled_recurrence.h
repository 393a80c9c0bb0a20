// Recurrent layers as frameworks ran them before (or without) cuDNN's: step by step, as operations
// of the graph. What that costs is then a matter of products, slices and activations like any
// other.
#pragma once

#include "model/graph/workload_graph.h"

namespace paceline {

enum class CellStyle {
  // One product of [input, state] per step: TensorFlow's BasicLSTMCell and GRUCell
  // (tensorflow/contrib/rnn core_rnn_cell_impl.py).
  kConcatenatedInput,
  // One product of the input and one of the state per step: MXNet's example/rnn/lstm.py and
  // LSTMCell, Torch's nngraph LSTM.
  kTwoProducts,
  // The input's product once for all steps, the state's per step: CNTK evaluates nodes outside of
  // a loop on the whole minibatch.
  kHoistedInput,
};

// Replaces every Rnn; other operations stay as they are. Parameters and FLOP do not change, except
// that kConcatenatedInput keeps one bias per gate. The rewrite comes before those that change
// precision, layout or fusion; throws UsageError if the graph is not fp32.
WorkloadGraph with_unrolled_recurrence(const WorkloadGraph& graph, CellStyle style);

}  // namespace paceline
