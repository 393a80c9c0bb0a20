// cpu.gemm/1: C[m x n] = op(A)[m x k] op(B)[k x n] by a packing BLAS on `n_t` threads of a CPU:
//
//   t = batch (call + [n' > 1] fork + T_c + T_near + T_far)
//   T_c    = 2 (m + edge_m)(n + edge_n)(k + edge_k) / (flop_rate s(n'; contention)) f(layout)
//   T_near = 4 (m k move_a + k n move_b + m n (1 + k / depth) move_c) / s(n'; contention)
//   T_far  = bytes miss(bytes / capacity) / (far s(n'; memory_contention))
//   n' = 1 + (n_t - 1) g,  g = 1 / (1 + (grain / flop)^4)
//
// A packing BLAS (Goto and van de Geijn, ACM TOMS 34(3), 2008) copies blocks of A and B into
// contiguous panels and multiplies them by a register kernel. Hence the terms: `edge_*` is the mean
// work lost where a dimension is not a multiple of the register tile, and the prologue of the inner
// loop; `move_*` is the time per byte of packing A and B and of updating C once per block of
// `depth` along k; T_far is what the operands' first touch costs when they do not fit the caches.
// Packing, multiplication and misses follow one another on one core, so the times add up.
// Layout: f = 1 for A not transposed and B not transposed, exp(layout_*) otherwise.
// Derivation and where it breaks: docs/models/cpu-gemm.md.
#pragma once

#include <array>
#include <cmath>

#include "model/formula/cache_traffic.h"
#include "model/formula/thread_scaling.h"
#include "model/formula/time_parts.h"

namespace paceline::formula {

struct CpuGemm {
  static constexpr std::string_view kId = "cpu.gemm/1";

  struct Input {
    double m = 0, n = 0, k = 0;
    double batch = 1;
    bool trans_a = false, trans_b = false;
    double element_bytes = 4;
    double threads = 1;
  };

  enum {
    kCall,
    kFork,
    kFlopRate,
    kEdgeM,
    kEdgeN,
    kEdgeK,
    kMoveA,
    kMoveB,
    kMoveC,
    kDepth,
    kFar,
    kCapacity,
    kSharpness,
    kContention,
    kMemoryContention,
    kGrain,
    kLayoutTransA,
    kLayoutTransB,
    kCount
  };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"call", "s"},
      {"fork", "s"},
      {"flop_rate", "FLOP/s"},
      {"edge_m", "1"},
      {"edge_n", "1"},
      {"edge_k", "1"},
      {"move_a", "s/B"},
      {"move_b", "s/B"},
      {"move_c", "s/B"},
      {"depth", "1"},
      {"far_bandwidth", "B/s"},
      {"cache_capacity", "B"},
      {"cache_sharpness", "1"},
      {"contention", "1", Domain::kFraction},
      {"memory_contention", "1", Domain::kFraction},
      {"grain", "FLOP"},
      {"layout_trans_a", "1", Domain::kReal},
      {"layout_trans_b", "1", Domain::kReal},
  }};

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    using std::exp;
    const double flops = 2 * in.m * in.n * in.k;
    T awake = T(0.0);
    if (in.threads > 1) awake = miss_share(flops, p[kGrain], T(4.0));
    const T threads = 1.0 + (in.threads - 1.0) * awake;
    const T alone = (1.0 + p[kContention] * (threads - 1.0)) / threads;
    const T alone_far = (1.0 + p[kMemoryContention] * (threads - 1.0)) / threads;
    T layout = T(0.0);
    if (in.trans_a) layout += p[kLayoutTransA];
    if (in.trans_b) layout += p[kLayoutTransB];

    TimeParts<T> out;
    out.fixed = in.batch * (p[kCall] + awake * p[kFork]);
    out.compute = in.batch * 2.0 * (in.m + p[kEdgeM]) * (in.n + p[kEdgeN]) * (in.k + p[kEdgeK]) *
                  exp(layout) / p[kFlopRate] * alone;
    const T near = in.element_bytes *
                   (in.m * in.k * p[kMoveA] + in.k * in.n * p[kMoveB] +
                    in.m * in.n * (1.0 + in.k / p[kDepth]) * p[kMoveC]) *
                   alone;
    const double bytes = in.element_bytes * (in.m * in.k + in.k * in.n + in.m * in.n);
    const T far = bytes * miss_share(bytes, p[kCapacity], p[kSharpness]) / p[kFar] * alone_far;
    out.memory = in.batch * (near + far);
    out.total = out.fixed + out.compute + out.memory;
    return out;
  }
};

}  // namespace paceline::formula
