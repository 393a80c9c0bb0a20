// cpu.stream/1: a bandwidth-bound operation on a CPU (elementwise, normalisation, pooling, softmax,
// copies, layout changes), run by `n` threads over `elements` values that read and write `bytes`:
//
//   t = call + miss_2 cold_call + [n' > 1] fork + pnorm(T_c, T_m; 1 + overlap)
//   T_c = (elements element_time + rows row_time + elements row window_time) r(n')
//   T_m = bytes [ near + (mid - near) miss_1 + (far - mid) miss_2 ]
//   near = r(n') / near_bandwidth, mid = r(n') / mid_bandwidth, far = r_m(n') / far_bandwidth
//   miss_1 = miss(W / (n' private_cache)),  miss_2 = miss(W / shared_cache)
//   r(n) = 1 - parallel + parallel / n             share left when `parallel` is shared out
//   r_m(n) = 1 - parallel + parallel / speedup(n; memory_contention)
//   n' = min(threads, ceil(elements / grain))
//
// Assumptions: the working set W is the call's own traffic, as in a loop over one call and for an
// operation whose operands the previous one has just touched, or what was touched since. A thread
// gets at least `grain` elements; one region is forked per call.
// Sources: roofline with partial overlap as in overlap.h; miss as in cache_traffic.h; speedup as in
// thread_scaling.h. Derivation: docs/models/cpu-stream.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "model/formula/cache_traffic.h"
#include "model/formula/overlap.h"
#include "model/formula/thread_scaling.h"
#include "model/formula/time_parts.h"

namespace paceline::formula {

struct CpuStream {
  static constexpr std::string_view kId = "cpu.stream/1";

  struct Input {
    double elements = 0;
    double bytes = 0;
    double rows = 0;    // reduced or normalised rows, 0 if there are none
    double window = 0;  // elements times their row or pooling window: values visited
    double threads = 1;
    double reuse_distance = 0;  // bytes touched since the operands were last used
  };

  enum {
    kCall,
    kColdCall,
    kFork,
    kElement,
    kRow,
    kWindow,
    kNear,
    kMid,
    kFar,
    kPrivateCache,
    kSharedCache,
    kSharpness,
    kMemoryContention,
    kParallel,
    kGrain,
    kOverlap,
    kCount
  };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"call", "s"},
      {"cold_call", "s"},
      {"fork", "s"},
      {"element_time", "s"},
      {"row_time", "s"},
      {"window_time", "s"},
      {"near_bandwidth", "B/s"},
      {"mid_bandwidth", "B/s"},
      {"far_bandwidth", "B/s"},
      {"private_cache", "B"},
      {"shared_cache", "B"},
      {"cache_sharpness", "1"},
      {"memory_contention", "1", Domain::kFraction},
      {"parallel_share", "1", Domain::kFraction},
      {"grain", "1"},
      {"overlap", "1"},
  }};

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    using std::exp;
    using std::log;
    const double chunks = std::ceil(in.elements / scalar_of(p[kGrain]));
    const double threads = std::max(1.0, std::min(in.threads, chunks));
    const T left = remaining_share(threads, p[kParallel]);
    const T left_far = 1.0 - p[kParallel] + p[kParallel] / speedup(threads, p[kMemoryContention]);
    const double working_set = std::max(in.bytes, in.reuse_distance);
    const T miss_1 = miss_share(working_set / threads, p[kPrivateCache], p[kSharpness]);
    const T miss_2 = miss_share(working_set, p[kSharedCache], p[kSharpness]);
    const T near = left / p[kNear];
    const T mid = left / p[kMid];
    const T far = left_far / p[kFar];
    TimeParts<T> out;
    out.fixed = p[kCall] + miss_2 * p[kColdCall] + (threads > 1 ? p[kFork] : T(0.0));
    out.compute = (in.elements * p[kElement] + in.rows * p[kRow] + in.window * p[kWindow]) * left;
    out.memory = in.bytes * (near + (mid - near) * miss_1 + (far - mid) * miss_2);
    // overlap is the excess over 1, so that any positive value is physical.
    out.total = out.fixed + pnorm(out.compute, out.memory, T(1.0 + p[kOverlap]));
    return out;
  }
};

}  // namespace paceline::formula
