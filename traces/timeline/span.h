// What happened, where and when: the element of every timeline, measured or predicted.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/sim_time.h"
#include "traces/timeline/name_table.h"

namespace paceline {

// What a span of time was spent on. Labels only: the engine never reads them.
enum class SpanKind : std::uint8_t {
  kOther,
  kLoad,          // read training data from storage
  kDecode,        // decode and augment on the host
  kHostToDevice,  // h2d copy
  kDeviceToHost,  // d2h copy
  kForward,
  kBackward,
  kUpdate,       // optimizer step
  kReduce,       // add gradients outside a collective, e.g. on a parameter server
  kCommunicate,  // a message or a whole collective
  kHost,         // framework code: launches, dispatch, synchronization calls
  kWait          // blocked on purpose: barrier, pipeline bubble, timer
};
inline constexpr int kSpanKinds = 12;

// "forward", "h2d", ...
std::string_view to_text(SpanKind kind);

enum class TrackId : std::uint32_t {};
enum class SpanId : std::uint32_t {};
inline constexpr SpanId kNoSpan{0xffffffff};

// Who did what for which part of the network; -1 where it does not apply.
struct Label {
  NameId name{};            // kernel, tensor or message
  std::int32_t rank = -1;   // device of the job
  std::int32_t layer = -1;  // position in the workload
  std::int16_t iteration = 0;
  SpanKind kind = SpanKind::kOther;

  bool operator==(const Label&) const = default;
};
static_assert(sizeof(Label) == 16 && std::is_trivially_copyable_v<Label>);

struct Span {
  SimTime start;
  SimTime end;
  TrackId track{};
  Label label;
  SpanId cause = kNoSpan;  // the span whose end let this one start, where known

  SimTime duration() const { return end - start; }
  bool operator==(const Span&) const = default;
};

}  // namespace paceline
