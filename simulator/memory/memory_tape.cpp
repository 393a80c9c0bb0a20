#include "simulator/memory/memory_tape.h"

#include <numeric>

#include "core/error.h"

namespace paceline {

std::string_view to_string(MemoryKind kind) {
  constexpr std::array<std::string_view, kMemoryKinds> kNames = {
      "weights",      "weight_gradients", "optimizer_state",
      "feature_maps", "workspace",        "communication",
      "input"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::int64_t total(const MemoryTape::Usage& usage) {
  return std::accumulate(usage.begin(), usage.end(), std::int64_t{0});
}

void MemoryTape::enter(TapePhase phase, std::size_t layer) {
  steps_.push_back({phase, static_cast<std::uint32_t>(layer)});
}

MemoryTape::BufferId MemoryTape::allocate(std::int64_t bytes, MemoryKind kind) {
  PACELINE_ASSERT(bytes >= 0, "a buffer has a size");
  const auto id = static_cast<BufferId>(buffers_.size());
  buffers_.push_back({bytes, kind, steps_.back().layer});
  events_.push_back({id, true, static_cast<std::uint32_t>(steps_.size() - 1)});
  return id;
}

void MemoryTape::allocate_first(std::int64_t bytes, MemoryKind kind) {
  const auto id = static_cast<BufferId>(buffers_.size());
  buffers_.push_back({bytes, kind, 0});
  events_.insert(events_.begin(), {id, true, 0});
}

void MemoryTape::free(BufferId buffer) {
  events_.push_back({buffer, false, static_cast<std::uint32_t>(steps_.size() - 1)});
}

MemoryTape::Peak MemoryTape::peak() const {
  Peak peak;
  replay([&](std::size_t event, const Usage& usage) {
    const std::int64_t bytes = total(usage);
    if (bytes > peak.bytes) peak = {usage, bytes, event};
  });
  return peak;
}

}  // namespace paceline
