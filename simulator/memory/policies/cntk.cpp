// CNTK: values and gradients of nodes are matrices of a pool, assigned before the first minibatch.
// Requests are sorted by size, the largest first; each takes the first matrix whose other users
// never live at the same time (MatrixPool::OptimizedMemoryAllocation).
#include <algorithm>
#include <numeric>

#include "simulator/memory/layer_keeps.h"
#include "simulator/memory/liveness.h"
#include "simulator/memory/memory_policy.h"

namespace paceline {
namespace {

class Rules : public MemoryRules {
 public:
  using MemoryRules::MemoryRules;

  std::vector<SavedBuffer> kept(const Op& op) const override {
    return layer_keeps(*this, op, {.pool_tensors = true});
  }
  Place output(const Op& op) const override {
    const bool view = std::holds_alternative<Reshape>(op.attributes);
    return view ? Place::kSame : Place::kNew;
  }
  // Every node adds into a gradient matrix of each child's own.
  Place input_gradient(const Op& op, std::size_t) const override {
    const bool view = std::holds_alternative<Reshape>(op.attributes);
    return view ? Place::kSame : Place::kNew;
  }
};

struct Request {
  std::int64_t bytes = 0;
  std::size_t from = 0, to = 0;  // events
};

// Bytes of the pool's matrices.
std::int64_t pool_bytes(std::vector<Request> requests) {
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) { return a.bytes > b.bytes; });
  std::vector<std::vector<Request>> matrices;
  std::int64_t bytes = 0;
  for (const Request& request : requests) {
    const auto free = [&](const std::vector<Request>& users) {
      return std::none_of(users.begin(), users.end(), [&](const Request& user) {
        return user.from <= request.to && request.from <= user.to;
      });
    };
    auto matrix = std::find_if(matrices.begin(), matrices.end(), free);
    if (matrix == matrices.end()) {
      bytes += request.bytes;
      matrix = matrices.insert(matrices.end(), std::vector<Request>{});
    }
    matrix->push_back(request);
  }
  return bytes;
}

class CntkMemory : public MemoryPolicy {
 public:
  MemoryTape trace(const WorkloadGraph& graph, const MemorySetting& setting) const override {
    return trace_with_workspace(Rules(graph, setting));
  }
  MemoryUse use(const MemoryTape& tape, const MemorySetting&) const override {
    std::vector<Request> requests;
    std::vector<std::size_t> request_of(tape.buffers().size(), 0);
    for (std::size_t i = 0; i < tape.events().size(); ++i) {
      const MemoryTape::Event& event = tape.events()[i];
      const MemoryTape::Buffer& buffer = tape.buffers()[event.buffer];
      if (buffer.kind != MemoryKind::kFeatureMaps) continue;
      if (event.allocates) {
        request_of[event.buffer] = requests.size();
        requests.push_back({buffer.bytes, i, tape.events().size()});
      } else {
        requests[request_of[event.buffer]].to = i;
      }
    }
    MemoryUse use;
    set_categories(use, tape.peak().usage);
    use.feature_maps = pool_bytes(std::move(requests));
    return use;
  }
  std::string family() const override { return "cntk"; }
  std::vector<std::string> sources() const override {
    return {
        "CNTK 2 source: Source/ComputationNetworkLib/MatrixPool.h, ComputationNode.h "
        "(OutputUsedInComputingInputNodesGradients)"};
  }
};

}  // namespace

void register_cntk(MemoryPolicyRegistry& registry) {
  registry.add("cntk", "matrix pool", [] { return std::make_unique<const CntkMemory>(); });
}

}  // namespace paceline
