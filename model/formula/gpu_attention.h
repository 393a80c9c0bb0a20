// gpu.attention/1: fused attention (FlashAttention) on matrix units:
//
//   t   = launch + pnorm(T_c, Q / (memory_share W); 1 + overlap)
//   T_c = max(n_b w, S w_max) / (P share(d))
//   n_b = b h ceil(L / t_q),  w = products 2 t_q d keys,  keys = L, causal: L/2 + t_q/2
//   w_max = products 2 t_q d (L, causal: L + t_q)          the longest block, bounds a small grid
//   share(d) = compute_share exp(-narrow max(0, log2(128 / d)))
//
// with t_q = 128 query rows in a block, 2 products forward and 5 backward (the backward pass
// computes the scores again). Q is query, key, value and output once, and the row statistics.
// Heads narrower than 128 spend relatively longer on exponentials than on products, which `narrow`
// expresses per halving. Sources: Dao et al., "FlashAttention", NeurIPS 2022, and
// "FlashAttention-2", 2023 (work partition over query blocks, five products backward).
// Derivation, fitted values and where it breaks: docs/models/gpu-attention.md.
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include "model/formula/gpu_device.h"
#include "model/formula/overlap.h"
#include "model/formula/time_parts.h"

namespace paceline::formula {

struct GpuAttention {
  static constexpr std::string_view kId = "gpu.attention/1";

  struct Input {
    double batch = 0, seq = 0, heads = 0, kv_heads = 0, head_dim = 0;
    bool causal = false;
    bool backward = false;
    double element_bytes = 2;
    GpuDevice device{};
  };

  enum { kLaunch, kComputeShare, kNarrow, kMemoryShare, kOverlap, kCount };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"launch", "s"},
      {"compute_share", "1"},
      {"narrow", "1", Domain::kReal},
      {"memory_share", "1"},
      {"overlap", "1"},
  }};

  static constexpr double kQueryRows = 128;
  static constexpr double kWideHead = 128;

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    using std::exp;
    const double products = in.backward ? 5 : 2;
    const double rows = std::fmin(kQueryRows, in.seq);
    const double keys = in.causal ? (in.seq + rows) / 2 : in.seq;
    const double work = products * 2 * rows * in.head_dim * keys;
    const double longest = products * 2 * rows * in.head_dim * in.seq;
    const double blocks = in.batch * in.heads * std::ceil(in.seq / kQueryRows);
    const double halvings = std::fmax(0.0, std::log2(kWideHead / in.head_dim));
    const double tensors = in.batch * in.seq * in.head_dim * (2 * in.heads + 2 * in.kv_heads);
    const double statistics = 4 * in.batch * in.heads * in.seq;
    const double bytes = (in.backward ? 2 : 1) * in.element_bytes * tensors + statistics;

    TimeParts<T> out;
    out.fixed = p[kLaunch];
    out.compute = std::fmax(blocks * work, in.device.multiprocessors * longest) *
                  exp(halvings * p[kNarrow]) / (in.device.matrix_peak * p[kComputeShare]);
    out.memory = bytes / (p[kMemoryShare] * in.device.bandwidth);
    out.total = out.fixed + pnorm(out.compute, out.memory, T(1.0 + p[kOverlap]));
    return out;
  }
};

}  // namespace paceline::formula
