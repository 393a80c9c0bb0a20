// A product C[m x n] = A[m x k] B[k x n], `batch` times, cut into tiles of C that are worked on by
// one block each, K cut into `split` slices:
//
//   n_b   = batch ceil(m/t_m) ceil(n/t_n) split
//   waves = wave ceil(n_b/S) + (1 - wave) max(n_b/S, 1)
//   T_c   = waves 2 t_m t_n (k/split + prologue) S / (P share(tile))
//   share(tile) = compute_share / (1 + feed (1/t_m + 1/t_n))
//   T_m   = bytes (+ 8 m n batch split if split > 1) at the rates of gpu_memory.h
//   t     = pnorm(T_c, T_m; 1 + overlap) (+ split_cost if split > 1)
//
// and the library is taken to choose the fastest (tile, split) (gpu_tile_search.h). `wave` = 1 is
// hard wave quantisation: a last wave with one block costs as much as a full one; 0 is a persistent
// or stream-K kernel that shares the tail out. `feed` is the operand traffic a tile needs per
// product, `prologue` the depth of K that filling the pipeline and writing C are worth; both shrink
// with the rate_share of matrix units that run below the rate of their operand paths. Sources: the
// matrix-multiplication guide of NVIDIA's deep-learning performance documents (tile and wave
// quantisation). Derivation, fitted values and where it breaks: docs/models/gpu-gemm.md.
#pragma once

#include <cmath>
#include <span>

#include "model/formula/gpu_memory.h"
#include "model/formula/gpu_tile_lists.h"
#include "model/formula/overlap.h"
#include "model/formula/time_parts.h"

namespace paceline::formula {

struct TiledProduct {
  double m = 0, n = 0, k = 0;
  double batch = 1;
  double bytes = 0;              // compulsory traffic
  double reuse_distance = 0;     // bytes touched since the operands were last used
  bool on_matrix_units = false;  // tensor cores; else vector units
  // The tiles that the library's kernels for this product have; empty: those of its products.
  // They do not cut K.
  std::span<const TileChoice> own_tiles{};
};

template <typename T>
struct TileRates {
  T compute_share;
  T feed;
  T prologue;
  T wave;
  T split_cost;
  T overlap;
  T saturation;
  GpuMemory<T> memory;
};

// Of a family whose Parameters name them among its values `p`; `compute_share` is that of the
// shape.
template <typename Parameters, typename T>
TileRates<T> tile_rates(const T& compute_share, const T* p) {
  using P = Parameters;
  return {compute_share,     p[P::kFeed],
          p[P::kPrologue],   p[P::kWave],
          p[P::kSplitCost],  p[P::kOverlap],
          p[P::kSaturation], {p[P::kMemoryShare], p[P::kCacheFit], p[P::kCacheRate]}};
}

// Compulsory traffic, and what slices of K write and read of their partial sums.
inline double moved_bytes(const TiledProduct& work, const TileChoice& tile) {
  return work.bytes + (tile.split > 1 ? 8.0 * work.m * work.n * work.batch * tile.split : 0.0);
}

// With `memory` the time that a grid which fills the device takes to move its bytes.
template <typename T>
TimeParts<T> tiled_product_time(const TiledProduct& work, const GpuDevice& device,
                                const TileRates<T>& rates, const TileChoice& tile,
                                const T& memory) {
  const double blocks =
      work.batch * std::ceil(work.m / tile.m) * std::ceil(work.n / tile.n) * tile.split;
  const double per_unit = blocks / device.multiprocessors;
  const T waves = rates.wave * std::ceil(per_unit) + (1.0 - rates.wave) * std::fmax(per_unit, 1.0);
  const T share =
      rates.compute_share / (1.0 + device.rate_share * rates.feed * (1.0 / tile.m + 1.0 / tile.n));

  TimeParts<T> out;
  out.compute = waves * 2.0 * tile.m * tile.n *
                (work.k / tile.split + device.rate_share * rates.prologue) *
                device.multiprocessors / (device.matrix_peak * share);
  out.memory = memory * small_grid(blocks, device, rates.saturation);
  out.fixed = tile.split > 1 ? rates.split_cost : T(0.0);
  out.total = out.fixed + pnorm(out.compute, out.memory, T(1.0 + rates.overlap));
  return out;
}

template <typename T>
TimeParts<T> tiled_product_time(const TiledProduct& work, const GpuDevice& device,
                                const TileRates<T>& rates, const TileChoice& tile) {
  return tiled_product_time(
      work, device, rates, tile,
      gpu_memory_time(moved_bytes(work, tile), work.reuse_distance, device, rates.memory));
}

template <typename T>
TileRates<double> plain(const TileRates<T>& r) {
  return {plain(r.compute_share),
          plain(r.feed),
          plain(r.prologue),
          plain(r.wave),
          plain(r.split_cost),
          plain(r.overlap),
          plain(r.saturation),
          {plain(r.memory.share), plain(r.memory.cache_fit), plain(r.memory.cache_rate)}};
}

}  // namespace paceline::formula
