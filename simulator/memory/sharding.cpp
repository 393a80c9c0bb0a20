#include "simulator/memory/sharding.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "model/graph/work.h"

namespace paceline {
namespace {

// "layers.3.attention.q" -> "layers.3."; the operation's own name without a number.
std::string unit_of(const std::string& name) {
  const auto digit =
      std::find_if(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (digit == name.end()) return name;
  const auto end = std::find(digit, name.end(), '.');
  return end == name.end() ? name : std::string(name.begin(), end + 1);
}

}  // namespace

std::int64_t largest_unit(const WorkloadGraph& graph) {
  std::map<std::string, std::int64_t> parameters;
  for (const Op& op : graph.ops()) {
    for (const std::int64_t size : parameter_sizes(op)) parameters[unit_of(op.name)] += size;
  }
  std::int64_t largest = 0;
  for (const auto& [unit, size] : parameters) largest = std::max(largest, size);
  return largest;
}

std::int64_t gathered_bytes(const WorkloadGraph& graph, const ModelStateSizes& sizes, int units) {
  const double each = std::min(sizes.weight, element_size(graph.matrix_precision()).si());
  return static_cast<std::int64_t>(static_cast<double>(largest_unit(graph)) * each * units);
}

StrategyMemory sharded_state(Sharded what, std::int64_t devices, const WorkloadGraph& graph,
                             const ModelStateSizes& sizes, int units) {
  const double share = 1 / static_cast<double>(devices);
  StrategyMemory out;
  if (what >= Sharded::kOptimizer) out.optimizer_state = share;
  if (what >= Sharded::kGradients) out.gradients = share;
  if (what >= Sharded::kWeights) {
    out.weights = share;
    out.gathered_bytes = gathered_bytes(graph, sizes, units);
  }
  return out;
}

}  // namespace paceline
