// The walk behind trace_liveness(): what it knows about tensors, gradients and what operations
// keep. Forward passes are in liveness_forward.cpp, backward and update in liveness_backward.cpp.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/graph/rewrite/recomputation.h"
#include "simulator/memory/memory_rules.h"
#include "simulator/memory/reference_slots.h"

namespace paceline {

// Bytes of a share of `elements`.
inline std::int64_t share_of(std::int64_t elements, double bytes_each, double share = 1) {
  return static_cast<std::int64_t>(static_cast<double>(elements) * bytes_each * share);
}

class LivenessWalk {
 public:
  explicit LivenessWalk(const MemoryRules& rules);
  // Once.
  MemoryTape run();

 private:
  using Slot = ReferenceSlots::Slot;
  static constexpr Slot kNone = ReferenceSlots::kNone;

  static std::size_t index(TensorId id) { return static_cast<std::size_t>(id); }
  bool needs_gradient(TensorId id) const { return graph_.tensor(id).needs_gradient; }
  bool reads_nothing_there(const Op& op) const;

  // Readers and gradients of every tensor; the model's state and the input.
  void count();
  void setup();

  // `again`: a recomputed operation in backward.
  void forward(std::size_t i, bool again);
  Slot place_output(const Op& op, const std::vector<SavedBuffer>& kept, bool again);
  bool may_overwrite(const Op& op, const std::vector<SavedBuffer>& kept) const;
  void keep(std::size_t i, const std::vector<SavedBuffer>& kept);
  bool held_elsewhere(TensorId id) const;
  void keep_for_others(TensorId output);
  void copy_weights(std::size_t i);

  void backward(std::size_t i);
  Slot gradient_of(const Op& op);
  void input_gradients(const Op& op, std::size_t i, Slot gradient);
  void weight_gradients(const Op& op);
  void deliver(TensorId tensor, Slot gradient);
  void update();

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

  const MemoryRules& rules_;
  const WorkloadGraph& graph_;
  MemoryTape tape_;
  ReferenceSlots slots_;
  RecomputationSchedule schedule_;
  std::vector<Slot> tensor_slot_;
  std::vector<std::vector<Slot>> gradient_;  // by tensor: contributions that have come
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

}  // namespace paceline
