// What every profiler records, in one form: operators and ranges of host threads, runtime calls,
// and the work of a device with the number that ties it to the call that launched it. Importers
// fill it in; assemble_trace (trace_assembly.h) finds iterations, layers and phases in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/import/trace_counters.h"
#include "traces/timeline/name_table.h"

namespace paceline {

enum class TraceEventKind : std::uint8_t {
  kOperator,  // a framework operator on a host thread: "aten::conv2d"
  kModule,    // a module of the network: "nn.Module: Conv2d_3"
  kRange,     // marked by the program: "ProfilerStep#3", "Optimizer.step#SGD.step"
  kRuntime,   // a call of the GPU's runtime or driver: "cudaLaunchKernel"
  kKernel,    // on a device
  kCopy,
  kFill
};

struct TraceEvent {
  static constexpr std::int64_t kNone = -1;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t correlation = kNone;  // the same for a runtime call and the work it launched
  std::int64_t sequence = kNone;     // of autograd: the same forward and backward
  NameId name{};
  NameId shape{};          // sizes of the operands, as the profiler prints them
  std::uint32_t lane = 0;  // index into TraceEvents::lanes
  TraceEventKind kind = TraceEventKind::kOperator;
};

// A host thread or a stream of a device.
struct TraceLane {
  std::string name;  // "thread 1234", "stream 7"
  int device = -1;   // -1: the host
};

// One process of the job.
struct TraceEvents {
  int rank = -1;  // -1: the file does not say
  std::vector<TraceLane> lanes;
  std::vector<TraceEvent> events;
  std::vector<TraceCounter> counters;  // `process` is the group of tracks, "gpu0"
  NameTable names;
  std::vector<std::string> devices;  // "NVIDIA H100 80GB HBM3", by index
  std::vector<std::string> warnings;
  bool is_cut_off = false;  // the end of the file, and so of the run, is missing
  std::string file{};       // that they are of, for messages
};

// Whether a kind of event is the work of a device.
inline bool is_device_work(TraceEventKind kind) { return kind >= TraceEventKind::kKernel; }

// A decimal number with `unit_ns` nanoseconds to its unit, "1700000000123456.789" microseconds,
// exactly to the nanosecond. Throws InputError if it is none.
std::int64_t parse_nanoseconds(std::string_view text, std::int64_t unit_ns);

}  // namespace paceline
