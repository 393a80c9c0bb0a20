// Frameworks that give every layer its buffers once and never share them: Caffe and Torch7.
#pragma once

#include "simulator/memory/memory_rules.h"
#include "simulator/memory/memory_tape.h"

namespace paceline {

struct PersistentStyle {
  // A tensor with several readers is split into copies of its gradient, one per reader, which are
  // then added (Caffe); else one sum beside the readers' own gradients (Torch7 has those anyway).
  bool gradient_per_reader = false;
  // Each convolution owns its workspace; else the largest serves all.
  bool workspace_per_layer = false;
  // Several streams work at once, each with a workspace of its own.
  std::int64_t workspaces = 1;
};

// Outputs and gradients of all layers, what `rules` says they keep besides tensors, and workspace,
// all alive from the first iteration to the last. Steps name the layer in its forward phase for
// outputs and in backward for gradients.
MemoryTape trace_persistent(const MemoryRules& rules, const PersistentStyle& style);

}  // namespace paceline
