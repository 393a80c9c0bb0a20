// Forward passes: where results go, what operations keep, when tensors go.
#include "simulator/memory/liveness_walk.h"

namespace paceline {

void LivenessWalk::forward(std::size_t i, bool again) {
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
LivenessWalk::Slot LivenessWalk::place_output(const Op& op, const std::vector<SavedBuffer>& kept,
                                              bool again) {
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

bool LivenessWalk::may_overwrite(const Op& op, const std::vector<SavedBuffer>& kept) const {
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

void LivenessWalk::keep(std::size_t i, const std::vector<SavedBuffer>& kept) {
  std::int64_t own = 0;
  for (const SavedBuffer& buffer : kept) {
    if (!buffer.tensor) {
      own += static_cast<std::int64_t>(buffer.bytes.si());
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
bool LivenessWalk::held_elsewhere(TensorId id) const {
  for (std::size_t i = 0; i < graph_.ops().size(); ++i) {
    const TensorId output = graph_.ops()[i].output;
    if (!schedule_.recomputed[i] && output != id && graph_.storage(output) == id) return true;
  }
  return false;
}

// Operations after the recomputed ones that need their results in backward.
void LivenessWalk::keep_for_others(TensorId output) {
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
void LivenessWalk::copy_weights(std::size_t i) {
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
    weight_copy_[i] = slots_.allocate(share_of(elements, stored), MemoryKind::kWeights);
  }
}

}  // namespace paceline
