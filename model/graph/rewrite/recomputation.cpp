#include "model/graph/rewrite/recomputation.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "core/error.h"
#include "model/graph/rewrite/graph_rewriter.h"
#include "model/graph/work.h"

namespace paceline {
namespace {

// "layers.3.attention.q" -> "layers.3."; empty without a component that is a number.
std::string block_of(const std::string& name) {
  std::size_t start = 0;
  while (true) {
    const std::size_t dot = name.find('.', start);
    if (dot == std::string::npos) return "";
    const bool number =
        dot > start && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(start),
                                   name.begin() + static_cast<std::ptrdiff_t>(dot),
                                   [](unsigned char c) { return std::isdigit(c); });
    if (number) return name.substr(0, dot + 1);
    start = dot + 1;
  }
}

// All of a block but its last operation, whose result the next block starts from.
bool recompute_blocks(std::vector<Op>& ops) {
  bool any = false;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::string block = block_of(ops[i].name);
    const bool last = i + 1 == ops.size() || block_of(ops[i + 1].name) != block;
    ops[i].recomputed = !block.empty() && !last;
    any = any || ops[i].recomputed;
  }
  return any;
}

// From the product of queries and keys up to, but without, the product with the values.
bool recompute_attention(std::vector<Op>& ops) {
  std::map<TensorId, Op*> producer;
  std::map<TensorId, std::vector<Op*>> consumers;
  for (Op& op : ops) {
    producer[op.output] = &op;
    for (const TensorId input : op.inputs) consumers[input].push_back(&op);
  }
  bool any = false;
  for (Op& op : ops) {
    if (!std::holds_alternative<Softmax>(op.attributes)) continue;
    Op* at = &op;
    std::vector<Op*> chain;
    while (at != nullptr && !std::holds_alternative<Matmul>(at->attributes)) {
      chain.push_back(at);
      const auto before = producer.find(at->inputs[0]);
      at = before == producer.end() ? nullptr : before->second;
    }
    if (at == nullptr) continue;  // the softmax is not that of an attention
    chain.push_back(at);
    for (Op* next : consumers[op.output]) {
      if (std::holds_alternative<Dropout>(next->attributes)) chain.push_back(next);
    }
    for (Op* member : chain) member->recomputed = true;
    any = true;
  }
  return any;
}

}  // namespace

WorkloadGraph with_recomputation(WorkloadGraph graph, Recomputation what) {
  GraphRewriter rewriter(std::move(graph));
  for (Op& op : rewriter.ops()) op.recomputed = false;
  if (what == Recomputation::kAttention && !recompute_attention(rewriter.ops())) {
    throw UsageError(rewriter.graph().name() + " has no attention to recompute");
  }
  if (what == Recomputation::kBlocks && !recompute_blocks(rewriter.ops())) {
    throw UsageError(rewriter.graph().name() + " has no blocks to recompute");
  }
  return std::move(rewriter).finish();
}

Flops recomputed_flops(const WorkloadGraph& graph) {
  Flops sum;
  for (const Op& op : graph.ops()) {
    if (op.recomputed) sum += pass_flops(graph, op, Pass::kForward);
  }
  return sum;
}

}  // namespace paceline
