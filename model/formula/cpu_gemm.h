// cpu.gemm/1: C[m x n] = op(A)[m x k] op(B)[k x n] by a packing BLAS on a CPU with `threads`
// threads:
//
//   t = batch (call + miss cold_call + [n' > 1] fork + (T_c + T_move) c(n') + T_far)
//   T_c    = 2 m' n' k' / flop_rate,       x' = x + edge_x where x is no multiple of tile_x
//   T_move = e (m k move_a e^trans_a + k n move_b e^trans_b + m n (move_c + passes revisit_c))
//   T_far  = e ((m k e^trans_a + k n e^trans_b) far_in f(n') + m n far_out g(n')) miss(W/capacity)
//   passes = max(0, k / depth - 1)
//   c, f, g (n) = 1 / speedup(n) with contention, memory_contention, out_contention
//   n' = threads if the product has at least `grain` FLOP and is packed, else 1
//
// e: bytes of an element; e^trans_x applies if the operand is transposed; W: the working set, the
// operands or what was touched since their last use; miss as in cache_traffic.h. Products of less
// than `direct_limit` FLOP skip packing (T_move = 0) and run at flop_rate e^-direct,
// e^-direct_trans_a more if A is transposed.
//
// A packing BLAS (Goto and van de Geijn, ACM TOMS 34(3), 2008) copies blocks of A and B into
// contiguous panels and multiplies them by a register kernel of tile_m x tile_n. Hence the terms:
// edges of the register tile, packing per byte (a transposed operand is gathered), one update of C
// per block of `depth` along k after the first, and the operands' first touch when they are not
// cached. The steps follow one another on a core, so their times add up. Derivation and where it
// breaks: docs/models/cpu-gemm.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/formula/cache_traffic.h"
#include "model/formula/cpu_gemm_parameters.h"
#include "model/formula/thread_scaling.h"
#include "model/formula/time_parts.h"

namespace paceline::formula {

struct CpuGemm : CpuGemmParameters {
  static constexpr std::string_view kId = "cpu.gemm/1";

  struct Input {
    double m = 0, n = 0, k = 0;
    double batch = 1;
    bool trans_a = false, trans_b = false;
    double element_bytes = 4;
    double threads = 1;
    double reuse_distance = 0;  // bytes touched since the operands were last used
  };

  // An extent with the work lost at its ragged edge.
  template <typename T>
  static T padded(double extent, const T& tile, const T& edge) {
    const T tiles = extent / tile;
    using std::ceil;
    return ceil(tiles) > tiles ? T(extent + edge) : T(extent);
  }

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    using std::exp;
    const double flops = 2 * in.m * in.n * in.k;
    const bool direct = flops < p[kDirectLimit];
    const double threads = direct || flops < p[kGrain] ? 1.0 : in.threads;
    const double more = threads - 1.0;
    const T trans_a = in.trans_a ? T(exp(p[kTransA])) : T(1.0);
    const T trans_b = in.trans_b ? T(exp(p[kTransB])) : T(1.0);
    const double a = in.element_bytes * in.m * in.k;
    const double b = in.element_bytes * in.k * in.n;
    const double c = in.element_bytes * in.m * in.n;

    T compute = 2.0 * padded(in.m, p[kTileM], p[kEdgeM]) * padded(in.n, p[kTileN], p[kEdgeN]) *
                padded(in.k, p[kTileK], p[kEdgeK]) / p[kFlopRate];
    T move = T(0.0);
    if (direct) {
      compute *= exp(in.trans_a ? T(p[kDirect] + p[kDirectTransA]) : p[kDirect]);
    } else {
      const T passes = in.k / p[kDepth] - 1.0;
      move = a * trans_a * p[kMoveA] + b * trans_b * p[kMoveB] + c * p[kMoveC];
      if (passes > 0.0) move += c * passes * p[kRevisitC];
    }
    const double working_set = std::max(a + b + c, in.reuse_distance);
    const T miss = miss_share(working_set, p[kCapacity], p[kSharpness]);
    const T far = (a * trans_a + b * trans_b) * p[kFarIn] * (1.0 + p[kMemoryContention] * more) +
                  c * p[kFarOut] * (1.0 + p[kOutContention] * more);

    TimeParts<T> out;
    out.fixed = in.batch * (p[kCall] + miss * p[kColdCall] + (threads > 1 ? p[kFork] : T(0.0)));
    const T alone = (1.0 + p[kContention] * more) / threads;
    out.compute = in.batch * compute * alone;
    out.memory = in.batch * (move * alone + miss * far / threads);
    out.total = out.fixed + out.compute + out.memory;
    return out;
  }
};

}  // namespace paceline::formula
