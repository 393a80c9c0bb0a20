// gpu.gemm/4: C[m x n] = op(A)[m x k] op(B)[k x n], `batch` times, by a tiling library on a GPU:
//
//   t = launch + tiled product (gpu_tiles.h) of m, n, k,  T_c slowed down by exp(layout +
//   unaligned)
//
// Layout: 0 for A transposed and B not (BLAS convention; the forward product of a linear layer),
// `layout_nn` for neither (its input gradient), `layout_nt` for B transposed (its weight gradient),
// their sum for A and B both transposed. `unaligned` applies on matrix units when a row of an
// operand is no multiple of 16 bytes: such operands cannot be loaded in the vectors that the units
// consume. Derivation, fitted values and where it breaks: docs/models/gpu-gemm.md.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "model/formula/gpu_gemm_parameters.h"
#include "model/formula/gpu_tile_search.h"

namespace paceline::formula {

struct GpuGemm : GpuGemmParameters {
  static constexpr std::string_view kId = "gpu.gemm/4";

  struct Input {
    double m = 0, n = 0, k = 0;
    double batch = 1;
    bool trans_a = false, trans_b = false;
    double element_bytes = 4;
    double reuse_distance = 0;
    bool on_matrix_units = false;
    std::span<const TileChoice> own_tiles{};  // of TiledProduct
    GpuDevice device{};
  };

  static bool is_aligned(const Input& in) {
    const double rows[] = {in.trans_a ? in.k : in.m, in.trans_b ? in.n : in.k, in.m};
    for (const double row : rows) {
      if (std::fmod(row * in.element_bytes, 16.0) != 0.0) return false;
    }
    return true;
  }

  static TiledProduct product(const Input& in) {
    const double elements = in.m * in.k + in.k * in.n + in.m * in.n;
    return {.m = in.m,
            .n = in.n,
            .k = in.k,
            .batch = in.batch,
            .bytes = in.element_bytes * in.batch * elements,
            .reuse_distance = in.reuse_distance,
            .on_matrix_units = in.on_matrix_units,
            .own_tiles = in.own_tiles};
  }

  template <typename T>
  static TileRates<T> rates(const Input& in, const T* p) {
    using std::exp;
    T slower = T(0.0);
    if (!in.trans_a && !in.trans_b) slower += p[kLayoutNn];
    if (!in.trans_a && in.trans_b) slower += p[kLayoutNt];
    if (in.trans_a && in.trans_b) slower += p[kLayoutNn] + p[kLayoutNt];
    if (in.on_matrix_units && !is_aligned(in)) slower += p[kUnaligned];
    return tile_rates<GpuGemmParameters, T>(p[kComputeShare] * exp(-slower), p);
  }

  using Choice = TileChoice;
  // The fastest tile; m = 0 if none takes less than `limit`.
  static Choice choose(const Input& in, const double* p,
                       double limit = std::numeric_limits<double>::infinity()) {
    return fastest_tile(product(in), in.device, rates(in, p), limit - p[kLaunch]).tile;
  }
  static bool is_found(const Choice& choice) { return choice.m > 0; }

  template <typename T>
  static TimeParts<T> choice_time(const Input& in, const Choice& choice, const T* p) {
    TimeParts<T> out = tiled_product_time(product(in), in.device, rates(in, p), choice);
    out.fixed += p[kLaunch];
    out.total += p[kLaunch];
    return out;
  }

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    std::array<double, kCount> values;
    for (std::size_t i = 0; i < kCount; ++i) values[i] = plain(p[i]);
    return choice_time(in, choose(in, values.data()), p);
  }
};

}  // namespace paceline::formula
