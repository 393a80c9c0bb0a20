// Reference-counted memory on a tape: what tensors, gradients and what backward keeps share.
#pragma once

#include <vector>

#include "core/error.h"
#include "simulator/memory/memory_tape.h"

namespace paceline {

class ReferenceSlots {
 public:
  using Slot = std::int32_t;
  static constexpr Slot kNone = -1;

  explicit ReferenceSlots(MemoryTape& tape) : tape_(tape) {}

  Slot allocate(std::int64_t bytes, MemoryKind kind, std::int64_t references = 1) {
    slots_.push_back({tape_.allocate(bytes, kind), references});
    return static_cast<Slot>(slots_.size() - 1);
  }
  void take(Slot slot, std::int64_t references = 1) { at(slot).references += references; }
  // Frees the memory with the last reference.
  void release(Slot slot) {
    Entry& entry = at(slot);
    PACELINE_ASSERT(entry.references > 0, "memory is released once per reference");
    if (--entry.references == 0) tape_.free(entry.buffer);
  }
  std::int64_t references(Slot slot) const {
    return slots_[static_cast<std::size_t>(slot)].references;
  }
  std::int64_t bytes(Slot slot) const {
    return tape_.buffers()[slots_[static_cast<std::size_t>(slot)].buffer].bytes;
  }

 private:
  struct Entry {
    MemoryTape::BufferId buffer;
    std::int64_t references;
  };
  Entry& at(Slot slot) { return slots_[static_cast<std::size_t>(slot)]; }

  MemoryTape& tape_;
  std::vector<Entry> slots_;
};

}  // namespace paceline
