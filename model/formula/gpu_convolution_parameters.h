// The parameters of gpu.convolution/4 in the order of a fit's values, and the rates of tiled
// products (gpu_tiles.h) that they amount to. What each does stands in the equation of
// gpu_convolution.h.
#pragma once

#include <array>
#include <cmath>

#include "model/formula/gpu_convolution_input.h"
#include "model/formula/gpu_tiles.h"

namespace paceline::formula {

struct GpuConvolutionParameters {
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
  static T slower(const ConvolutionInput& in, ConvolutionAlgorithm algorithm, const T* p) {
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
  static TileRates<T> rates(const ConvolutionInput& in, ConvolutionAlgorithm algorithm,
                            const T* p) {
    using std::exp;
    return tile_rates<GpuConvolutionParameters, T>(
        p[kComputeShare] * exp(-slower(in, algorithm, p)), p);
  }
};

}  // namespace paceline::formula
