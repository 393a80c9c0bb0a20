// Backward passes: gradients of tensors and of weights, what is freed behind them; and the update.
#include "simulator/memory/liveness_walk.h"

namespace paceline {

LivenessWalk::Slot LivenessWalk::gradient_of(const Op& op) {
  std::vector<Slot>& parts = gradient_[index(op.output)];
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

void LivenessWalk::backward(std::size_t i) {
  const Op& op = graph_.ops()[i];
  if (needs_gradient(op.output)) {
    const bool last = i + 1 == graph_.ops().size();
    if (last || !gradient_[index(op.output)].empty()) {
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

void LivenessWalk::input_gradients(const Op& op, std::size_t i, Slot gradient) {
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

void LivenessWalk::deliver(TensorId tensor, Slot gradient) {
  std::vector<Slot>& parts = gradient_[index(tensor)];
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
void LivenessWalk::weight_gradients(const Op& op) {
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
                 [&] { made = slots_.allocate(share_of(sizes[k], each), kind); });
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

void LivenessWalk::update() {
  tape_.enter(TapePhase::kUpdate, graph_.ops().size() - 1);
  for (const auto& [key, slot] : shared_weights_) slots_.release(slot);
  if (rules_.runs_update()) with_scratch({.beside = rules_.update_scratch()}, [] {});
}

}  // namespace paceline
