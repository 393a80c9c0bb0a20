#include "model/graph/rewrite/recomputation.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>

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

// tanh(keys + query) of an additive attention (Bahdanau et al. 2015), in a chain that leads back
// from its softmax: the largest tensors of such a network.
std::optional<std::vector<Op*>> additive_score(const std::vector<Op*>& chain) {
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    const auto* tanh = std::get_if<Activate>(&chain[i]->attributes);
    if (tanh == nullptr || tanh->kind != Activation::kTanh) continue;
    if (std::holds_alternative<Add>(chain[i + 1]->attributes)) {
      return std::vector<Op*>{chain[i + 1], chain[i]};
    }
  }
  return std::nullopt;
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
    if (const auto score = additive_score(chain)) {
      for (Op* member : *score) member->recomputed = true;
      any = true;
      continue;
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

struct IsMirrored {
  bool operator()(const Linear&) const { return false; }
  bool operator()(const ExpertLinear&) const { return false; }
  bool operator()(const Conv2d&) const { return false; }
  bool operator()(const ConvTranspose2d&) const { return false; }
  bool operator()(const Concat&) const { return false; }
  bool operator()(const Dropout&) const { return false; }
  bool operator()(const Rnn&) const { return false; }
  bool operator()(const TrainableTensor&) const { return false; }
  bool operator()(const CrossEntropy&) const { return false; }
  bool operator()(const Loss&) const { return false; }
  template <typename Other>
  bool operator()(const Other&) const {
    return true;
  }
};

void recompute_cheap(std::vector<Op>& ops) {
  for (std::size_t i = 0; i + 1 < ops.size(); ++i) {
    ops[i].recomputed = std::visit(IsMirrored{}, ops[i].attributes);
  }
}

// Of each block: keeps the results of attention and of the first, third, ... product.
void recompute_every_other(std::vector<Op>& ops) {
  std::size_t products = 0;
  std::string counted;
  for (Op& op : ops) {
    const std::string block = block_of(op.name);
    if (block != counted) products = 0;
    counted = block;
    const bool product = std::holds_alternative<Linear>(op.attributes);
    const bool attention = std::holds_alternative<Attention>(op.attributes);
    op.recomputed = !block.empty() && !attention && !(product && products++ % 2 == 0);
  }
  if (!ops.empty()) ops.back().recomputed = false;
}

// Group of each operation: those with equal numbers follow one another; 0: not recomputed.
std::vector<std::size_t> groups_of(const std::vector<bool>& recomputed) {
  std::vector<std::size_t> group(recomputed.size(), 0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < recomputed.size(); ++i) {
    if (!recomputed[i]) continue;
    if (i == 0 || !recomputed[i - 1]) ++count;
    group[i] = count;
  }
  return group;
}

}  // namespace

Recomputation parse_recomputation(std::string_view text) {
  if (text == "none") return Recomputation::kNone;
  if (text == "selective") return Recomputation::kAttention;
  if (text == "full") return Recomputation::kBlocks;
  if (text == "mirror") return Recomputation::kMirror;
  if (text == "operations") return Recomputation::kEveryOther;
  throw UsageError("recompute=" + std::string(text) +
                   " is unknown; use none, selective, full, mirror or operations");
}

WorkloadGraph with_recomputation(WorkloadGraph graph, Recomputation what) {
  GraphRewriter rewriter(std::move(graph));
  for (Op& op : rewriter.ops()) op.recomputed = false;
  if (what == Recomputation::kAttention && !recompute_attention(rewriter.ops())) {
    throw UsageError(
        rewriter.graph().name() +
        " has no attention that stores its scores, which are what recompute=selective drops");
  }
  if (what == Recomputation::kBlocks && !recompute_blocks(rewriter.ops())) {
    throw UsageError(rewriter.graph().name() + " has no blocks to recompute");
  }
  if (what == Recomputation::kMirror) recompute_cheap(rewriter.ops());
  if (what == Recomputation::kEveryOther) recompute_every_other(rewriter.ops());
  return std::move(rewriter).finish();
}

RecomputationSchedule recomputation_schedule(const WorkloadGraph& graph) {
  const std::vector<Op>& ops = graph.ops();
  RecomputationSchedule schedule;
  std::map<TensorId, std::size_t> producer;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    schedule.recomputed.push_back(ops[i].recomputed);
    producer[ops[i].output] = i;
  }
  schedule.reads_again.assign(ops.size(), 0);
  schedule.before_backward.resize(ops.size());
  if (std::find(schedule.recomputed.begin(), schedule.recomputed.end(), true) ==
      schedule.recomputed.end()) {
    return schedule;
  }
  std::vector<std::size_t> group;
  for (bool changed = true; changed;) {
    changed = false;
    group = groups_of(schedule.recomputed);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      for (const TensorId input : ops[i].inputs) {
        const auto made = producer.find(input);
        if (made == producer.end() || group[i] == 0) continue;
        const std::size_t source = made->second;
        if (group[source] == 0 || group[source] == group[i]) continue;
        schedule.recomputed[source] = false;
        changed = true;
      }
    }
  }
  // The operation whose backward comes first among those that read a group's results.
  std::vector<std::size_t> needed_by(ops.size() + 1, 0);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    needed_by[group[i]] = i;
    for (const TensorId input : ops[i].inputs) {
      const auto made = producer.find(input);
      if (made == producer.end() || group[made->second] == 0) continue;
      needed_by[group[made->second]] = i;
      if (group[made->second] == group[i]) ++schedule.reads_again[made->second];
    }
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (group[i] > 0) schedule.before_backward[needed_by[group[i]]].push_back(i);
  }
  return schedule;
}

Flops recomputed_flops(const WorkloadGraph& graph) {
  Flops sum;
  for (const Op& op : graph.ops()) {
    if (op.recomputed) sum += pass_flops(graph, op, Pass::kForward);
  }
  return sum;
}

}  // namespace paceline
