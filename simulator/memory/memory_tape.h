// What one training iteration allocates and frees, in issue order: the common language of policies
// (which write tapes), allocators (which replay them) and timelines (which draw them).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace paceline {

// What a buffer is for: the categories of TBD (Zhu et al. 2018), where "dynamic" is what is left
// beside weights, their gradients, feature maps and workspace.
enum class MemoryKind : std::uint8_t {
  kWeights,
  kWeightGradients,
  kOptimizerState,
  kFeatureMaps,  // layer outputs, what they keep for backward, and gradients of both
  kWorkspace,    // scratch of one operation
  kCommunication,
  kInput
};
inline constexpr std::size_t kMemoryKinds = 7;
// As in reports: "feature_maps".
std::string_view to_string(MemoryKind kind);

enum class TapePhase : std::uint8_t { kSetup, kForward, kBackward, kUpdate };

class MemoryTape {
 public:
  using BufferId = std::uint32_t;
  struct Buffer {
    std::int64_t bytes = 0;
    MemoryKind kind = MemoryKind::kFeatureMaps;
    std::uint32_t layer = 0;  // index into the graph's operations
  };
  struct Event {
    BufferId buffer = 0;
    bool allocates = true;
    std::uint32_t step = 0;
  };
  // One operation in one phase.
  struct Step {
    TapePhase phase = TapePhase::kSetup;
    std::uint32_t layer = 0;
  };
  using Usage = std::array<std::int64_t, kMemoryKinds>;  // bytes by kind

  MemoryTape() { steps_.push_back({}); }

  // The following events belong to this operation.
  void enter(TapePhase phase, std::size_t layer);
  BufferId allocate(std::int64_t bytes, MemoryKind kind);
  void free(BufferId buffer);
  // A buffer that was there before everything else.
  void allocate_first(std::int64_t bytes, MemoryKind kind);

  const std::vector<Buffer>& buffers() const { return buffers_; }
  const std::vector<Event>& events() const { return events_; }
  const std::vector<Step>& steps() const { return steps_; }

  // Bytes alive after each event, by kind; `visit(event index, usage)`.
  template <typename Visit>
  void replay(Visit visit) const {
    Usage usage{};
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Buffer& buffer = buffers_[events_[i].buffer];
      usage[static_cast<std::size_t>(buffer.kind)] +=
          events_[i].allocates ? buffer.bytes : -buffer.bytes;
      visit(i, usage);
    }
  }
  // At the moment when most bytes are alive.
  struct Peak {
    Usage usage{};
    std::int64_t bytes = 0;
    std::size_t event = 0;
  };
  Peak peak() const;

 private:
  std::vector<Buffer> buffers_;
  std::vector<Event> events_;
  std::vector<Step> steps_;
};

std::int64_t total(const MemoryTape::Usage& usage);

}  // namespace paceline
