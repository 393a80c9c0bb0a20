// Writes CUPTI's activity records as spans of a trace: kernels, copies, fills, calls of the runtime
// and the driver, and the program's NVTX ranges.
#pragma once

#include <cupti.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "microbench/cuda/trace/trace_file.h"

namespace paceline::cuda_trace {

class ActivityRecords {
 public:
  static constexpr std::array kKinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                        CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_MEMCPY2,
                                        CUPTI_ACTIVITY_KIND_MEMSET,
                                        CUPTI_ACTIVITY_KIND_RUNTIME,
                                        CUPTI_ACTIVITY_KIND_DRIVER,
                                        CUPTI_ACTIVITY_KIND_MARKER};

  explicit ActivityRecords(TraceFile& file) : file_(file) {}

  // A record of one of kKinds; others are ignored, and those without times.
  void add(const CUpti_Activity* record);

 private:
  // NVTX: a range's name stands in its first record, its end in a second one.
  struct OpenRange {
    std::uint64_t start_ns = 0, thread = 0, process = 0;
    std::string name;
  };

  void add_kernel(const CUpti_Activity* record);
  void add_copy(const CUpti_Activity* record);
  void add_peer_copy(const CUpti_Activity* record);
  void add_fill(const CUpti_Activity* record);
  void add_call(const CUpti_Activity* record);
  void add_marker(const CUpti_Activity* record);
  void add_range(const OpenRange& range, std::uint64_t end_ns);

  TraceFile& file_;
  std::mutex mutex_;                                     // of the ranges
  std::unordered_map<std::uint32_t, OpenRange> ranges_;  // by id
};

}  // namespace paceline::cuda_trace
