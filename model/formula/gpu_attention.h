// gpu.attention/2: fused attention (FlashAttention) on matrix units:
//
//   t     = launch + pnorm(T_c, Q / (memory_share W); 1 + overlap)
//   T_c   = max(1, S L / (n_b keys)) ( n_b w / (P compute_share) + n_b scores / (exponentials S f)
//   ) n_b   = b h ceil(L / t_q),  keys = L, causal: L/2 + t_q/2 w     = products 2 t_q d keys,
//   scores = t_q keys
//
// with t_q = 128 query rows in a block, 2 products forward and 5 backward (the backward pass
// computes the scores again). The maximum is the longest block of a small grid. Q is query, key,
// value and output once, and the row statistics. Every score takes one exponential, of which a
// multiprocessor computes `exponentials` in a clock of 1/f: a rate that has stayed the same while
// matrix units became ten times as fast, so that it bounds narrow heads and new devices. Sources:
// Dao et al., "FlashAttention", NeurIPS 2022, and "FlashAttention-2", 2023 (work partition over
// query blocks, five products backward); Shah et al., "FlashAttention-3", 2024 (exponentials
// against products); CUDA C++ Programming Guide, throughput of arithmetic instructions (16
// exponentials a clock and multiprocessor since Volta). Derivation, fitted values and where it
// breaks: docs/models/gpu-attention.md.
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include "model/formula/gpu_device.h"
#include "model/formula/overlap.h"
#include "model/formula/time_parts.h"

namespace paceline::formula {

struct GpuAttention {
  static constexpr std::string_view kId = "gpu.attention/2";

  struct Input {
    double batch = 0, seq = 0, heads = 0, kv_heads = 0, head_dim = 0;
    bool causal = false;
    bool backward = false;
    double element_bytes = 2;
    GpuDevice device{};
  };

  enum { kLaunch, kComputeShare, kExponentials, kMemoryShare, kOverlap, kCount };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"launch", "s"},
      {"compute_share", "1"},
      {"exponentials", "1"},
      {"memory_share", "1"},
      {"overlap", "1"},
  }};

  static constexpr double kQueryRows = 128;

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    const double products = in.backward ? 5 : 2;
    const double rows = std::fmin(kQueryRows, in.seq);
    const double keys = in.causal ? (in.seq + rows) / 2 : in.seq;
    const double blocks = in.batch * in.heads * std::ceil(in.seq / kQueryRows);
    const double scores = blocks * rows * keys;
    const double longest = std::fmax(1.0, in.device.multiprocessors * in.seq / (blocks * keys));
    const double tensors = in.batch * in.seq * in.head_dim * (2 * in.heads + 2 * in.kv_heads);
    const double statistics = 4 * in.batch * in.heads * in.seq;
    const double bytes = (in.backward ? 2 : 1) * in.element_bytes * tensors + statistics;

    TimeParts<T> out;
    out.fixed = p[kLaunch];
    out.compute = longest * scores *
                  (products * 2 * in.head_dim / (in.device.matrix_peak * p[kComputeShare]) +
                   1.0 / (p[kExponentials] * in.device.multiprocessors * in.device.clock));
    out.memory = bytes / (p[kMemoryShare] * in.device.bandwidth);
    out.total = out.fixed + pnorm(out.compute, out.memory, T(1.0 + p[kOverlap]));
    return out;
  }
};

}  // namespace paceline::formula
