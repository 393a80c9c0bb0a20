// Multi-head attention as separate operations: projections, scores, softmax, weighted values. The
// fused form is a rewrite (model/graph/rewrite).
#pragma once

#include <optional>
#include <string>

#include "model/graph/workload_builder.h"

namespace paceline {

struct AttentionOptions {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;  // fewer than heads: grouped queries
  std::int64_t head_dim = 64;
  bool bias = true;         // of the query, key and value projections
  bool output_bias = true;  // of the output projection
  bool packed_qkv = false;  // one projection makes all three (self-attention only)
  bool causal = false;      // masks later positions
  bool rotary = false;      // positions enter by rotating queries and keys
  bool scaled = true;       // queries (or scores) are divided by sqrt(head_dim)
  double dropout = 0;       // of the attention weights
  // Added to the scores and shared by all layers: T5's relative positions.
  std::optional<TensorId> score_bias{};
};

// `x` is batch x seq x width; keys and values come from `memory`, which is `x` for self-attention.
// The result has the width of `x`.
TensorId multi_head_attention(WorkloadBuilder& b, const std::string& name, TensorId x,
                              TensorId memory, const AttentionOptions& options);

}  // namespace paceline
