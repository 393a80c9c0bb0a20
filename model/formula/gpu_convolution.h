// gpu.convolution/4: one pass of a convolution on a GPU by the fastest algorithm that fits the
// workspace limit:
//
//   t = launch + min over algorithms of T(algorithm)
//
//   implicit GEMM    the tiled product (gpu_tiles.h)   forward  (N P Q) x K/g     x (C/g) R S
//                                                      dgrad    (N H/u W/u) x C/g x (K/g) R S / r,
//                                                               r = min(R,u) min(S,u) times, and
//                                                               zeros written first if u > 1
//                                                      wgrad    K/g     x (C/g)RS x  N P Q
//                    repeated g times, T_c slowed down by exp(pointwise) for 1 x 1 filters,
//                    exp(strided) for stride > 1, exp(image) for fewer than 8 input channels;
//                    in fp32 forward and dgrad by tiles of 128 outputs or fewer, K whole
//   Winograd fused   3 x 3, stride 1, m = 2: alpha^2 = 16 products T x K x C, T tiles of m x m
//                    outputs in blocks of 4 x 8 of them and 32 filters, slowed down by
//                    exp(winograd); no workspace
//   Winograd staged  3 x 3 or 5 x 5, stride 1, m = 4: alpha^2 products, alpha = m + R - 1, T_c
//                    slowed down by exp(winograd_staged); images in multiples of 16 (not wgrad).
//                    The transforms are kernels of their own: they and the product each read and
//                    write alpha^2 (T C + T K + C K) elements, one after the other
//   FFT              stride 1, 2 to 32 taps: 32 x 32 tiles with overlap, or the whole image;
//                    transforms and point products, one after the other, slowed down by exp(fft)
//   depthwise        g = C: compulsory bytes at share depthwise_share of the bandwidth
//
// Matrix units are fed eight channels at a time: C/g and K/g count as the next multiple of 8.
// On matrix units images whose channels are not together in memory (NCHW) are converted before and
// after, by a kernel each: twice their bytes at the rate of memory, and two launches, are added.
// The winograd forms exist for fp32 on vector units; on matrix units libraries stay with implicit
// GEMM. Sources: Lavin and Gray, "Fast algorithms for convolutional neural networks", CVPR 2016
// (Winograd and its cost); Mathieu et al., "Fast training of convolutional networks through FFTs",
// ICLR 2014; cuDNN's documented algorithms. Derivation, fitted values and where it breaks:
// docs/models/gpu-convolution.md.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "model/formula/gpu_convolution_time.h"
#include "model/formula/gpu_tile_search.h"

namespace paceline::formula {

struct GpuConvolution : GpuConvolutionTime {
  static constexpr std::string_view kId = "gpu.convolution/4";

  using Input = ConvolutionInput;

  static bool has_tiles(ConvolutionAlgorithm algorithm) {
    return algorithm != ConvolutionAlgorithm::kDepthwise && algorithm != ConvolutionAlgorithm::kFft;
  }

  static TimeParts<double> algorithm_time(const Input& in, ConvolutionAlgorithm algorithm,
                                          const double* p) {
    Choice choice{algorithm, {1, 1, 1}};
    if (has_tiles(algorithm)) {
      choice.tile = fastest_tile(product(in, algorithm), in.device, rates(in, algorithm, p)).tile;
    }
    return choice_time(in, choice, p);
  }

  // The fastest algorithm whose workspace fits, with its tile; m = 0 if none takes less than
  // `limit`.
  static Choice choose(const Input& in, const double* p,
                       double limit = std::numeric_limits<double>::infinity()) {
    Choice best;
    double best_time = limit;
    const LeastPnorm least_pnorm(1.0 + p[kOverlap]);
    const auto consider = [&](ConvolutionAlgorithm algorithm) {
      Choice choice{algorithm, {1, 1, 1}};
      if (has_tiles(algorithm)) {
        const TiledProduct work = product(in, algorithm);
        const TileRates<double> of_algorithm = rates(in, algorithm, p);
        TileSearch search(work, in.device, of_algorithm, least_pnorm);
        choice.tile = search.below(best_time - p[kLaunch]).tile;
        if (choice.tile.m == 0) return;
      }
      const double time = choice_time(in, choice, p).total;
      if (time < best_time) {
        best_time = time;
        best = choice;
      }
    };
    // Those that take least, where they are possible, come last in the list: after them the others
    // need hardly a search.
    for (auto it = kConvolutionAlgorithms.rbegin(); it != kConvolutionAlgorithms.rend(); ++it) {
      if (!is_supported(in, *it) || workspace_bytes(in, *it) > in.workspace_limit) continue;
      consider(*it);
    }
    return best;
  }
  static bool is_found(const Choice& choice) { return choice.tile.m > 0; }
  static ConvolutionAlgorithm fastest(const Input& in, const double* p) {
    return choose(in, p).algorithm;
  }

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    std::array<double, kCount> values;
    for (std::size_t i = 0; i < kCount; ++i) values[i] = plain(p[i]);
    return choice_time(in, choose(in, values.data()), p);
  }
};

}  // namespace paceline::formula
