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

#include "model/formula/gpu_convolution_algorithms.h"
#include "model/formula/gpu_tile_search.h"

namespace paceline::formula {

struct GpuConvolution {
  static constexpr std::string_view kId = "gpu.convolution/4";

  using Input = ConvolutionInput;

  enum {
    kLaunch,
    kComputeShare,
    kFeed,
    kPrologue,
    kWave,
    kSplitCost,
    kOverlap,
    kSaturation,
    kMemoryShare,
    kCacheFit,
    kCacheRate,
    kPointwise,
    kStrided,
    kImage,
    kWinograd,
    kWinogradStaged,
    kFft,
    kDepthwiseShare,
    kCount
  };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"launch", "s"},
      {"compute_share", "1"},
      {"feed", "1"},
      {"prologue", "1"},
      {"wave", "1", Domain::kFraction},
      {"split_cost", "s"},
      {"overlap", "1"},
      {"saturation", "1"},
      {"memory_share", "1"},
      {"cache_fit", "1"},
      {"cache_rate", "B"},
      {"pointwise", "1", Domain::kReal},
      {"strided", "1", Domain::kReal},
      {"image", "1", Domain::kReal},
      {"winograd", "1", Domain::kReal},
      {"winograd_staged", "1", Domain::kReal},
      {"fft", "1", Domain::kReal},
      {"depthwise_share", "1"},
  }};

  // ln of the slow-down of T_c for this algorithm and shape.
  template <typename T>
  static T slower(const Input& in, ConvolutionAlgorithm algorithm, const T* p) {
    T out = T(0.0);
    if (algorithm == ConvolutionAlgorithm::kWinograd) return p[kWinograd];
    if (algorithm == ConvolutionAlgorithm::kWinogradStaged) return p[kWinogradStaged];
    if (algorithm == ConvolutionAlgorithm::kFft) return p[kFft];
    if (in.r * in.s == 1) out += p[kPointwise];
    if (in.stride_h * in.stride_w > 1) out += p[kStrided];
    if (in.c / in.groups < kImageChannels) out += p[kImage];
    return out;
  }

  template <typename T>
  static TileRates<T> rates(const Input& in, ConvolutionAlgorithm algorithm, const T* p) {
    using std::exp;
    return {p[kComputeShare] * exp(-slower(in, algorithm, p)),
            p[kFeed],
            p[kPrologue],
            p[kWave],
            p[kSplitCost],
            p[kOverlap],
            p[kSaturation],
            {p[kMemoryShare], p[kCacheFit], p[kCacheRate]}};
  }

  // An algorithm and, where it is a matrix product, its tile.
  struct Choice {
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::kImplicitGemm;
    TileChoice tile{};
  };

  template <typename T>
  static TimeParts<T> choice_time(const Input& in, const Choice& choice, const T* p) {
    TimeParts<T> out;
    const TileRates<T> r = rates(in, choice.algorithm, p);
    if (choice.algorithm == ConvolutionAlgorithm::kDepthwise) {
      out.fixed = p[kLaunch];
      out.compute = T(0.0);
      out.memory = compulsory_bytes(in) / (p[kDepthwiseShare] * in.device.bandwidth);
      out.total = out.fixed + out.memory;
      return out;
    }
    if (choice.algorithm == ConvolutionAlgorithm::kFft) {
      out.fixed = p[kLaunch];
      out.compute = fft_flops(in) / (in.device.vector_peak * r.compute_share);
      out.memory = gpu_memory_time(fft_bytes(in), in.reuse_distance, in.device, r.memory);
      out.total = out.fixed + out.compute + out.memory;
      return out;
    }
    out = tiled_product_time(product(in, choice.algorithm), in.device, r, choice.tile);
    out.fixed += p[kLaunch];
    out.total += p[kLaunch];
    if (const double bytes = other_bytes(in, choice.algorithm); bytes > 0) {
      const T others = gpu_memory_time(bytes, in.reuse_distance, in.device, r.memory);
      out.memory += others;
      out.total += others;
      if (choice.algorithm == ConvolutionAlgorithm::kImplicitGemm) {
        out.fixed += p[kLaunch];
        out.total += p[kLaunch];
      }
    }
    if (is_converted(in)) {
      const auto moved = [&](double bytes) {
        return gpu_memory_time(bytes, in.reuse_distance, in.device, r.memory);
      };
      const T conversion = moved(input_conversion_bytes(in)) + moved(output_conversion_bytes(in));
      out.memory += conversion;
      out.total += conversion + 2.0 * p[kLaunch];
      out.fixed += 2.0 * p[kLaunch];
    }
    return out;
  }

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
