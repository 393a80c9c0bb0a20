#include "simulator/memory/liveness.h"

#include <algorithm>
#include <map>

#include "model/graph/rewrite/recomputation.h"
#include "simulator/memory/reference_slots.h"

namespace paceline {
namespace {

using Slot = ReferenceSlots::Slot;
constexpr Slot kNone = ReferenceSlots::kNone;

std::int64_t scaled(std::int64_t elements, double bytes_each, double share = 1) {
  return static_cast<std::int64_t>(static_cast<double>(elements) * bytes_each * share);
}
std::int64_t whole(Bytes bytes) { return static_cast<std::int64_t>(bytes.si()); }

// Inference needs no result twice.
RecomputationSchedule nothing_again(const WorkloadGraph& graph) {
  RecomputationSchedule out;
  out.recomputed.assign(graph.ops().size(), false);
  out.before_backward.resize(graph.ops().size());
  out.reads_again.assign(graph.ops().size(), 0);
  return out;
}

class Walk {
 public:
  explicit Walk(const MemoryRules& rules)
      : rules_(rules),
        graph_(rules.graph()),
        slots_(tape_),
        schedule_(rules.runs_backward() ? recomputation_schedule(graph_) : nothing_again(graph_)),
        tensor_slot_(graph_.tensors().size(), kNone),
        gradient_(graph_.tensors().size()),
        reads_(graph_.tensors().size(), 0),
        contributions_(graph_.tensors().size(), 0),
        dropped_(graph_.tensors().size(), false),
        reads_again_(graph_.tensors().size(), 0),
        kept_(graph_.ops().size()),
        own_(graph_.ops().size(), kNone),
        weight_copy_(graph_.ops().size(), kNone) {}

  MemoryTape run() {
    count();
    setup();
    for (std::size_t i = 0; i < graph_.ops().size(); ++i) {
      if (!rules_.runs(graph_.ops()[i]) || reads_nothing_there(graph_.ops()[i])) continue;
      tape_.enter(TapePhase::kForward, i);
      forward(i, false);
    }
    if (!rules_.runs_backward()) return std::move(tape_);
    for (std::size_t i = graph_.ops().size(); i-- > 0;) {
      tape_.enter(TapePhase::kBackward, i);
      for (const std::size_t again : schedule_.before_backward[i]) forward(again, true);
      backward(i);
    }
    update();
    return std::move(tape_);
  }

 private:
  std::size_t index(TensorId id) const { return static_cast<std::size_t>(id); }
  // Inference: what is made of a loss, such as the sum of several, does not exist either.
  bool reads_nothing_there(const Op& op) const {
    return std::ranges::any_of(op.inputs,
                               [&](TensorId id) { return tensor_slot_[index(id)] == kNone; });
  }
  bool needs_gradient(TensorId id) const { return graph_.tensor(id).needs_gradient; }

  void count() {
    std::map<TensorId, std::size_t> first_slice;
    for (std::size_t i = 0; i < graph_.ops().size(); ++i) {
      const Op& op = graph_.ops()[i];
      producer_[op.output] = i;
      dropped_[index(op.output)] = schedule_.recomputed[i];
      reads_again_[index(op.output)] = schedule_.reads_again[i];
      for (const TensorId input : op.inputs) ++reads_[index(input)];
      const bool slice = std::holds_alternative<Slice>(op.attributes);
      if (slice && !first_slice.try_emplace(op.inputs[0], i).second) continue;
      if (!needs_gradient(op.output)) continue;
      for (const TensorId input : op.inputs) contributions_[index(input)] += needs_gradient(input);
    }
    first_slice_ = std::move(first_slice);
  }

  void setup() {
    allocate_model_state(rules_, tape_);
    for (const TensorId input : graph_.inputs()) {
      tensor_slot_[index(input)] =
          slots_.allocate(rules_.bytes(input), MemoryKind::kInput, 1 + reads_[index(input)]);
    }
  }

  // `again`: a recomputed operation in backward.
  void forward(std::size_t i, bool again) {
    const Op& op = graph_.ops()[i];
    const bool recomputed = schedule_.recomputed[i];
    const bool keeps = again || !recomputed;
    const std::vector<SavedBuffer> kept =
        rules_.runs_backward() ? rules_.kept(op) : std::vector<SavedBuffer>();
    copy_weights(i);
    const Slot output = place_output(op, kept, again);
    tensor_slot_[index(op.output)] = output;
    if (keeps) keep(i, kept);
    if (again) keep_for_others(op.output);
    // What a recomputed operation reads from outside stays until it has run again.
    for (const TensorId input : op.inputs) {
      const bool stays = recomputed && !again && !dropped_[index(input)];
      if (!stays) slots_.release(tensor_slot_[index(input)]);
    }
    slots_.release(output);  // the reference of this function
  }

  // Holds one reference for the caller besides those of the readers to come.
  Slot place_output(const Op& op, const std::vector<SavedBuffer>& kept, bool again) {
    const std::int64_t readers =
        (again ? reads_again_ : reads_)[index(op.output)] + (&op == &graph_.ops().back() ? 1 : 0);
    const Scratch scratch = rules_.forward_scratch(op);
    const bool passes = !rules_.runs_backward() && std::holds_alternative<Dropout>(op.attributes);
    const Place place = passes ? Place::kSame : rules_.output(op);
    if (place == Place::kSame || (place == Place::kOverwrite && may_overwrite(op, kept))) {
      const Slot slot = tensor_slot_[index(op.inputs[0])];
      slots_.take(slot, readers + 1);
      with_scratch(scratch, [] {});
      return slot;
    }
    Slot slot = kNone;
    with_scratch(scratch, [&] {
      slot = slots_.allocate(rules_.bytes(op.output), MemoryKind::kFeatureMaps, readers + 1);
    });
    return slot;
  }

  bool may_overwrite(const Op& op, const std::vector<SavedBuffer>& kept) const {
    const TensorId input = op.inputs[0];
    const Slot slot = tensor_slot_[index(input)];
    if (!producer_.contains(graph_.storage(input))) return false;  // the network's own input
    for (const SavedBuffer& buffer : kept) {
      if (buffer.tensor && tensor_slot_[index(*buffer.tensor)] == slot &&
          *buffer.tensor != op.output) {
        return false;
      }
    }
    return slots_.references(slot) == 1 && slots_.bytes(slot) == rules_.bytes(op.output);
  }

  template <typename Make>
  void with_scratch(const Scratch& scratch, Make make) {
    const auto scratch_buffer = [&](std::int64_t bytes) {
      return bytes > 0 ? slots_.allocate(bytes, MemoryKind::kWorkspace) : kNone;
    };
    const Slot before = scratch_buffer(scratch.before);
    const Slot beside = scratch_buffer(scratch.beside);
    if (before != kNone) slots_.release(before);
    make();
    if (beside != kNone) slots_.release(beside);
  }

  void keep(std::size_t i, const std::vector<SavedBuffer>& kept) {
    std::int64_t own = 0;
    for (const SavedBuffer& buffer : kept) {
      if (!buffer.tensor) {
        own += whole(buffer.bytes);
        continue;
      }
      const Slot slot = tensor_slot_[index(*buffer.tensor)];
      if (dropped_[index(*buffer.tensor)] && !schedule_.recomputed[i] &&
          !held_elsewhere(*buffer.tensor)) {
        waiting_[*buffer.tensor].push_back(i);
        continue;
      }
      slots_.take(slot);
      kept_[i].push_back(slot);
    }
    if (own > 0) own_[i] = slots_.allocate(own, MemoryKind::kFeatureMaps);
  }

  // A dropped tensor whose memory a kept result has taken over.
  bool held_elsewhere(TensorId id) const {
    for (std::size_t i = 0; i < graph_.ops().size(); ++i) {
      const TensorId output = graph_.ops()[i].output;
      if (!schedule_.recomputed[i] && output != id && graph_.storage(output) == id) return true;
    }
    return false;
  }

  // Operations after the recomputed ones that need their results in backward.
  void keep_for_others(TensorId output) {
    const auto found = waiting_.find(output);
    if (found == waiting_.end()) return;
    for (const std::size_t reader : found->second) {
      slots_.take(tensor_slot_[index(output)]);
      kept_[reader].push_back(tensor_slot_[index(output)]);
    }
    waiting_.erase(found);
  }

  // Autocast: the 16-bit copy of fp32 weights lives from forward to the end of backward.
  // Normalisations read their fp32 parameters.
  void copy_weights(std::size_t i) {
    const Op& op = graph_.ops()[i];
    const Tensor& output = graph_.tensor(op.output);
    const double stored = output.element_bytes().si();
    if (!rules_.setting().state.casts || weight_copy_[i] != kNone || !output.needs_gradient ||
        output.precision == Precision::kFp32 || std::holds_alternative<Norm>(op.attributes)) {
      return;
    }
    std::int64_t elements = 0;
    for (const std::int64_t size : used_parameter_sizes(op)) elements += size;
    if (elements > 0) {
      weight_copy_[i] = slots_.allocate(scaled(elements, stored), MemoryKind::kWeights);
    }
  }

  void backward(std::size_t i);
  void input_gradients(const Op& op, std::size_t i, Slot gradient);
  void weight_gradients(const Op& op);
  void deliver(TensorId tensor, Slot gradient);
  Slot gradient_of(const Op& op);
  void update();

  struct Gradient {
    std::vector<Slot> parts;
  };

  const MemoryRules& rules_;
  const WorkloadGraph& graph_;
  MemoryTape tape_;
  ReferenceSlots slots_;
  RecomputationSchedule schedule_;
  std::vector<Slot> tensor_slot_;
  std::vector<Gradient> gradient_;
  std::vector<std::int64_t> reads_, contributions_;
  std::vector<bool> dropped_;
  std::vector<std::int64_t> reads_again_;
  std::vector<std::vector<Slot>> kept_;
  std::vector<Slot> own_, weight_copy_;
  std::map<TensorId, std::size_t> producer_, first_slice_;
  std::map<TensorId, std::vector<std::size_t>> waiting_;
  std::map<TensorId, std::vector<Slot>> slices_;
  std::vector<std::pair<TensorId, Slot>> delivered_;
  std::vector<Slot> finished_weights_;
  std::map<std::pair<std::string, std::size_t>, Slot> shared_weights_;
};

Slot Walk::gradient_of(const Op& op) {
  std::vector<Slot>& parts = gradient_[index(op.output)].parts;
  if (parts.empty()) {
    return slots_.allocate(rules_.bytes(op.output), MemoryKind::kFeatureMaps);
  }
  if (parts.size() == 1) return parts[0];
  // All at once, into the memory of the first if nothing else reads it.
  Slot sum = parts[0];
  if (slots_.references(sum) > 1) {
    sum = slots_.allocate(rules_.bytes(op.output), MemoryKind::kFeatureMaps);
    slots_.release(parts[0]);
  }
  for (std::size_t part = 1; part < parts.size(); ++part) slots_.release(parts[part]);
  return sum;
}

void Walk::backward(std::size_t i) {
  const Op& op = graph_.ops()[i];
  if (needs_gradient(op.output)) {
    const bool last = i + 1 == graph_.ops().size();
    if (last || !gradient_[index(op.output)].parts.empty()) {
      const Slot gradient = gradient_of(op);
      input_gradients(op, i, gradient);
      if (op.trainable) weight_gradients(op);
      slots_.release(gradient);
    }
  }
  for (const Slot slot : kept_[i]) slots_.release(slot);
  if (own_[i] != kNone) slots_.release(own_[i]);
  if (weight_copy_[i] != kNone) slots_.release(weight_copy_[i]);
  for (const auto& [tensor, slot] : delivered_) deliver(tensor, slot);
  delivered_.clear();
  for (const Slot slot : finished_weights_) slots_.release(slot);
  finished_weights_.clear();
}

void Walk::input_gradients(const Op& op, std::size_t i, Slot gradient) {
  if (std::holds_alternative<Slice>(op.attributes)) {
    std::vector<Slot>& parts = slices_[op.inputs[0]];
    slots_.take(gradient);
    parts.push_back(gradient);
    if (first_slice_.at(op.inputs[0]) != i) return;
    delivered_.emplace_back(op.inputs[0],
                            slots_.allocate(rules_.bytes(op.inputs[0]), MemoryKind::kFeatureMaps));
    for (const Slot part : parts) slots_.release(part);
    return;
  }
  bool overwritten = false;
  for (std::size_t k = 0; k < op.inputs.size(); ++k) {
    const TensorId input = op.inputs[k];
    if (!needs_gradient(input)) continue;
    const Place place = rules_.input_gradient(op, k);
    const bool overwrite = place == Place::kOverwrite && !overwritten &&
                           slots_.references(gradient) == 1 &&
                           slots_.bytes(gradient) == rules_.bytes(input);
    if (place == Place::kSame || overwrite) {
      slots_.take(gradient);
      overwritten = overwritten || overwrite;
      delivered_.emplace_back(input, gradient);
      continue;
    }
    with_scratch(rules_.backward_scratch(op, Pass::kDgrad), [&] {
      delivered_.emplace_back(input,
                              slots_.allocate(rules_.bytes(input), MemoryKind::kFeatureMaps));
    });
  }
}

void Walk::deliver(TensorId tensor, Slot gradient) {
  std::vector<Slot>& parts = gradient_[index(tensor)].parts;
  if (parts.empty() || rules_.sums_at_once(contributions_[index(tensor)])) {
    parts.push_back(gradient);
    return;
  }
  if (slots_.references(parts[0]) > 1) {
    const Slot sum = slots_.allocate(rules_.bytes(tensor), MemoryKind::kFeatureMaps);
    slots_.release(parts[0]);
    parts[0] = sum;
  }
  slots_.release(gradient);
}

// Gradients of weights that several operations share wait for the last of them.
void Walk::weight_gradients(const Op& op) {
  // The gradient of a tensor that is used as it is, is its own.
  if (std::holds_alternative<TrainableTensor>(op.attributes)) return;
  const std::vector<std::int64_t> sizes = used_parameter_sizes(op);
  const MemoryKind kind =
      rules_.separate_weight_gradients() ? MemoryKind::kWeightGradients : MemoryKind::kFeatureMaps;
  const double each = rules_.setting().state.gradient;
  const std::size_t shared = op.sharing == Sharing::kNone     ? 0
                             : op.sharing == Sharing::kWeight ? 1
                                                              : sizes.size();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const bool elsewhere = k < shared;
    const auto key = std::pair(elsewhere ? op.shares_with : op.name, k);
    const auto waiting = shared_weights_.find(key);
    const bool summed = waiting != shared_weights_.end();
    if (!rules_.separate_weight_gradients() && !summed && !elsewhere) {
      if (k == 0) with_scratch(rules_.backward_scratch(op, Pass::kWgrad), [] {});
      continue;  // written where it is stored
    }
    Slot made = kNone;
    with_scratch(k == 0 ? rules_.backward_scratch(op, Pass::kWgrad) : Scratch{},
                 [&] { made = slots_.allocate(scaled(sizes[k], each), kind); });
    if (elsewhere && !summed) {
      shared_weights_.emplace(key, made);
      continue;
    }
    finished_weights_.push_back(made);
    if (summed && !elsewhere) {
      finished_weights_.push_back(waiting->second);
      shared_weights_.erase(waiting);
    }
  }
}

void Walk::update() {
  tape_.enter(TapePhase::kUpdate, graph_.ops().size() - 1);
  for (const auto& [key, slot] : shared_weights_) slots_.release(slot);
  if (rules_.runs_update()) with_scratch({.beside = rules_.update_scratch()}, [] {});
}

}  // namespace

void allocate_model_state(const MemoryRules& rules, MemoryTape& tape) {
  const StrategyMemory& strategy = rules.setting().strategy;
  const ModelStateSizes& sizes = rules.setting().state;
  const auto persistent = [&](std::int64_t bytes, MemoryKind kind) {
    if (bytes > 0) tape.allocate(bytes, kind);
  };
  const std::vector<Op>& ops = rules.graph().ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    tape.enter(TapePhase::kSetup, i);
    for (const std::int64_t size : parameter_sizes(ops[i])) {
      persistent(scaled(size, sizes.weight, strategy.weights), MemoryKind::kWeights);
      if (!ops[i].trainable || !rules.runs_backward()) continue;
      if (rules.stores_weight_gradients()) {
        persistent(scaled(size, sizes.gradient, strategy.gradients), MemoryKind::kWeightGradients);
      }
      if (!rules.runs_update()) continue;
      const double share = strategy.optimizer_state;
      persistent(scaled(size, sizes.master, share), MemoryKind::kOptimizerState);
      persistent(scaled(size, sizes.optimizer, share), MemoryKind::kOptimizerState);
    }
    persistent(rules.persistent_state(ops[i]), MemoryKind::kWeights);
  }
  persistent(strategy.communication_bytes + strategy.gathered_bytes, MemoryKind::kCommunication);
}

MemoryTape trace_liveness(const MemoryRules& rules) { return Walk(rules).run(); }

}  // namespace paceline
