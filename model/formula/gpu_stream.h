// gpu.stream/3: an operation limited by memory traffic on a GPU (elementwise, normalisation,
// softmax, pooling, gather, copies, optimizer updates):
//
//   t = launch + pnorm(T_c, T_m; 1 + overlap)
//   T_m = bytes at the rates of gpu_memory.h, and `again` bytes more, of rows that are read a
//         second time: from the cache where the rows in work, 16 a multiprocessor, fit it
//   T_c = (elements element_work + rows row_work) / P_vector
//
// A row that is read twice belongs to one block and counts as block_elements (row_block.h).
// `element_work` and `row_work` are what an element and a row are worth in fp32 operations:
// exponentials, shuffles of a reduction, rows too short to fill a warp. Elementwise kernels have
// element_work near 0. Derivation, fitted values and where it breaks: docs/models/gpu-memory.md.
#pragma once

#include <array>
#include <string_view>

#include "model/formula/gpu_memory.h"
#include "model/formula/overlap.h"
#include "model/formula/row_block.h"
#include "model/formula/time_parts.h"

namespace paceline::formula {

struct GpuStream {
  static constexpr std::string_view kId = "gpu.stream/3";

  struct Input {
    double elements = 0;
    double bytes = 0;
    double rows = 0;
    double again = 0;  // bytes of rows that are read a second time
    double reuse_distance = 0;
    GpuDevice device{};
  };

  enum { kLaunch, kMemoryShare, kCacheFit, kCacheRate, kElementWork, kRowWork, kOverlap, kCount };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"launch", "s"},
      {"memory_share", "1"},
      {"cache_fit", "1"},
      {"cache_rate", "B"},
      {"element_work", "FLOP"},
      {"row_work", "FLOP"},
      {"overlap", "1"},
  }};

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    TimeParts<T> out;
    const bool has_row_blocks = in.again > 0 && in.rows > 0;
    const double elements =
        has_row_blocks ? in.rows * block_elements(in.elements / in.rows) : in.elements;
    out.fixed = p[kLaunch];
    out.compute = (elements * p[kElementWork] + in.rows * p[kRowWork]) / in.device.vector_peak;
    const GpuMemory<T> memory{p[kMemoryShare], p[kCacheFit], p[kCacheRate]};
    out.memory = gpu_memory_time(in.bytes, in.reuse_distance, in.device, memory);
    if (has_row_blocks) {
      constexpr double kRowsInWork = 16;  // blocks of 128 threads of a multiprocessor
      const double in_work = kRowsInWork * in.device.multiprocessors * in.again / in.rows;
      out.memory += in.again / in_work * gpu_memory_time(in_work, 0, in.device, memory);
    }
    out.total = out.fixed + pnorm(out.compute, out.memory, T(1.0 + p[kOverlap]));
    return out;
  }
};

}  // namespace paceline::formula
