// cpu.stream/1: a bandwidth-bound operation on a CPU (elementwise, normalisation, pooling, softmax,
// copies, layout changes), run by `n` threads over `elements` values that read and write `bytes`:
//
//   t = call + miss cold_call + [n' > 1] fork + pnorm(T_c, T_m; overlap)
//   T_c = (elements element_time + rows row_time + elements row window_time) r(n')
//   T_m = bytes [ r(n') / near + (r_m(n') / far - r(n') / near) miss(W / capacity) ]
//   r(n) = 1 - parallel + parallel / n             share left when `parallel` is shared out
//   r_m(n) = 1 - parallel + parallel / speedup(n; contention)
//   n' = 1 + (n - 1) g,  g = 1 / (1 + (grain / elements)^4)
//
// Assumptions: the working set W is the call's own traffic, as in a loop over one call and for an
// operation whose operands the previous one has just touched, or what was touched since; work below
// `grain` elements stays on one thread (libraries do not wake others for it); one region is forked
// per call. Sources: roofline with partial overlap as in overlap.h; cache term as in
// cache_traffic.h; thread scaling as in thread_scaling.h. Derivation: docs/models/cpu-stream.md.
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
    kFar,
    kCapacity,
    kSharpness,
    kContention,
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
      {"far_bandwidth", "B/s"},
      {"cache_capacity", "B"},
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
    // Threads that take part.
    T threads = T(1.0);
    T awake = T(0.0);
    if (in.threads > 1 && in.elements > 0) {
      awake = miss_share(in.elements, p[kGrain], T(4.0));
      threads = 1.0 + (in.threads - 1.0) * awake;
    }
    const T left = 1.0 - p[kParallel] + p[kParallel] / threads;
    const T left_far =
        1.0 - p[kParallel] + p[kParallel] * (1.0 + p[kContention] * (threads - 1.0)) / threads;
    const T miss = miss_share(std::max(in.bytes, in.reuse_distance), p[kCapacity], p[kSharpness]);
    const T near = left / p[kNear];
    const T far = left_far / p[kFar];
    TimeParts<T> out;
    out.fixed = p[kCall] + miss * p[kColdCall] + awake * p[kFork];
    out.compute = (in.elements * p[kElement] + in.rows * p[kRow] + in.window * p[kWindow]) * left;
    out.memory = in.bytes * (near + (far - near) * miss);
    // overlap is the excess over 1, so that any positive value is physical.
    out.total = out.fixed + pnorm(out.compute, out.memory, T(1.0 + p[kOverlap]));
    return out;
  }
};

}  // namespace paceline::formula
