#include "simulator/memory/memory_rules.h"

#include <algorithm>

namespace paceline {

// Mean and variance of every channel in fp32, and a counter.
std::int64_t MemoryRules::persistent_state(const Op& op) const {
  const auto* norm = std::get_if<Norm>(&op.attributes);
  if (norm == nullptr || norm->kind != Normalization::kBatch || op.sharing != Sharing::kNone) {
    return 0;
  }
  return 2 * 4 * norm->features + 8;
}

bool MemoryRules::runs(const Op& op) const {
  const bool is_loss = std::holds_alternative<CrossEntropy>(op.attributes) ||
                       std::holds_alternative<Loss>(op.attributes);
  return runs_backward() || !is_loss;
}

std::int64_t MemoryRules::library_workspace(const Op& op, Pass pass) const {
  if (!setting_.workspace || !std::holds_alternative<Conv2d>(op.attributes)) return 0;
  if (pass != Pass::kForward && !runs_backward()) return 0;
  std::int64_t most = 0;
  for (const KernelShape& shape : pass_kernels(graph_, op, pass)) {
    const Kernel kernel{"cudnn.conv", shape, graph_.matrix_precision()};
    most = std::max(most, static_cast<std::int64_t>(setting_.workspace(kernel).si()));
  }
  return most;
}

}  // namespace paceline
