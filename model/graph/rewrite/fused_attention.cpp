#include "model/graph/rewrite/fused_attention.h"

#include <map>
#include <optional>
#include <set>

#include "model/graph/rewrite/graph_rewriter.h"

namespace paceline {
namespace {

using Index = std::size_t;

// The operations of one attention core, by their places in the graph.
struct Core {
  std::set<Index> removed;
  Index values = 0;
  Attention attributes;
  std::vector<TensorId> inputs;  // queries, keys, values
};

class Finder {
 public:
  explicit Finder(const std::vector<Op>& ops) : ops_(ops) {
    for (Index i = 0; i < ops.size(); ++i) {
      producer_[ops[i].output] = i;
      for (const TensorId input : ops[i].inputs) consumers_[input].push_back(i);
    }
  }

  std::optional<Core> around(Index softmax) const {
    Core core;
    core.removed.insert(softmax);
    Index at = softmax;
    while (true) {
      const auto before = producer_.find(ops_[at].inputs[0]);
      if (before == producer_.end() || !only_use(ops_[at].inputs[0])) return std::nullopt;
      at = before->second;
      if (is<Matmul>(at)) break;
      if (is<CausalMask>(at)) core.attributes.causal = true;
      if (!is<Scale>(at) && !is<CausalMask>(at)) return std::nullopt;
      core.removed.insert(at);
    }
    core.removed.insert(at);
    const auto keys = plain_keys(at, core);
    if (!keys) return std::nullopt;
    core.inputs = {ops_[at].inputs[0], *keys};
    return with_values(softmax, std::move(core));
  }

 private:
  template <typename Kind>
  bool is(Index i) const {
    return std::holds_alternative<Kind>(ops_[i].attributes);
  }
  bool only_use(TensorId id) const {
    const auto found = consumers_.find(id);
    return found != consumers_.end() && found->second.size() == 1;
  }

  // Keys as batch x heads x seq x head_dim: as they are for a product with a transposed operand,
  // else what a permutation of the last two dimensions reads.
  std::optional<TensorId> plain_keys(Index scores, Core& core) const {
    const Op& op = ops_[scores];
    if (std::get<Matmul>(op.attributes).trans_a) return std::nullopt;
    if (std::get<Matmul>(op.attributes).trans_b) return op.inputs[1];
    const auto turned = producer_.find(op.inputs[1]);
    if (turned == producer_.end() || !is<Permute>(turned->second)) return std::nullopt;
    const Op& permute = ops_[turned->second];
    if (std::get<Permute>(permute.attributes).axes != std::vector<int>{0, 1, 3, 2}) {
      return std::nullopt;
    }
    if (only_use(op.inputs[1])) core.removed.insert(turned->second);
    return permute.inputs[0];
  }

  std::optional<Core> with_values(Index softmax, Core core) const {
    Index at = softmax;
    while (only_use(ops_[at].output)) {
      const TensorId weights = ops_[at].output;
      at = consumers_.at(weights)[0];
      core.removed.insert(at);
      if (is<Dropout>(at)) continue;
      if (!is<Matmul>(at) || ops_[at].inputs[0] != weights) return std::nullopt;
      const Matmul& matmul = std::get<Matmul>(ops_[at].attributes);
      if (matmul.trans_a || matmul.trans_b) return std::nullopt;
      core.values = at;
      core.inputs.push_back(ops_[at].inputs[1]);
      return core;
    }
    return std::nullopt;
  }

  const std::vector<Op>& ops_;
  std::map<TensorId, Index> producer_;
  std::map<TensorId, std::vector<Index>> consumers_;
};

}  // namespace

WorkloadGraph with_fused_attention(WorkloadGraph graph) {
  GraphRewriter rewriter(std::move(graph));
  std::vector<Op> old;
  old.swap(rewriter.ops());
  const Finder finder(old);
  std::set<Index> removed;
  std::map<Index, Core> cores;
  for (Index i = 0; i < old.size(); ++i) {
    if (!std::holds_alternative<Softmax>(old[i].attributes)) continue;
    if (const auto core = finder.around(i)) {
      removed.insert(core->removed.begin(), core->removed.end());
      cores.emplace(core->values, *core);
    }
  }
  for (Index i = 0; i < old.size(); ++i) {
    const auto core = cores.find(i);
    if (core != cores.end()) {
      old[i].attributes = core->second.attributes;
      old[i].inputs = core->second.inputs;
    } else if (removed.contains(i)) {
      continue;
    }
    rewriter.ops().push_back(std::move(old[i]));
  }
  return std::move(rewriter).finish();
}

}  // namespace paceline
