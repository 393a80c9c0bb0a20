// The algorithms by which libraries compute a convolution on a GPU: where each is possible, the
// matrix product it amounts to, its traffic and its workspace. Times are in gpu_convolution.h; the
// symbols and sources are explained there.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "model/formula/gpu_tiles.h"

namespace paceline::formula {

enum class ConvolutionPass { kForward, kDgrad, kWgrad };

struct ConvolutionInput {
  ConvolutionPass pass = ConvolutionPass::kForward;
  double n = 0, c = 0, h = 0, w = 0;
  double k = 0, r = 0, s = 0;
  double p = 0, q = 0;  // output height and width
  double stride_h = 1, stride_w = 1;
  double groups = 1;
  double element_bytes = 4;
  bool on_matrix_units = false;
  double workspace_limit = std::numeric_limits<double>::infinity();
  GpuDevice device{};
};

enum class ConvolutionAlgorithm { kImplicitGemm, kWinograd, kWinogradStaged, kFft, kDepthwise };
inline constexpr std::array<ConvolutionAlgorithm, 5> kConvolutionAlgorithms = {
    ConvolutionAlgorithm::kImplicitGemm, ConvolutionAlgorithm::kWinograd,
    ConvolutionAlgorithm::kWinogradStaged, ConvolutionAlgorithm::kFft,
    ConvolutionAlgorithm::kDepthwise};

inline constexpr std::string_view name_of(ConvolutionAlgorithm algorithm) {
  constexpr std::array<std::string_view, 5> kNames = {"implicit-gemm", "winograd",
                                                      "winograd-staged", "fft", "depthwise"};
  return kNames[static_cast<std::size_t>(algorithm)];
}

// Fewer channels than this do not fill the vectors of a load: the first layer of a network.
inline constexpr double kImageChannels = 8;
inline constexpr double kFftTile = 32;

inline double compulsory_bytes(const ConvolutionInput& in) {
  return in.element_bytes * (in.n * in.c * in.h * in.w + in.n * in.k * in.p * in.q +
                             in.k * (in.c / in.groups) * in.r * in.s);
}

inline bool is_supported(const ConvolutionInput& in, ConvolutionAlgorithm algorithm) {
  const bool unit_stride = in.stride_h == 1 && in.stride_w == 1;
  const bool dense_fp32 = !in.on_matrix_units && in.groups == 1 && in.element_bytes == 4;
  const bool square3 = in.r == 3 && in.s == 3;
  const bool square5 = in.r == 5 && in.s == 5;
  switch (algorithm) {
    case ConvolutionAlgorithm::kWinograd:
      return unit_stride && dense_fp32 && square3;
    case ConvolutionAlgorithm::kWinogradStaged:
      return unit_stride && dense_fp32 && (square3 || square5);
    case ConvolutionAlgorithm::kFft:
      return unit_stride && dense_fp32 && in.r * in.s > 1 && in.r <= kFftTile && in.s <= kFftTile;
    case ConvolutionAlgorithm::kDepthwise:
      return in.groups > 1 && in.groups == in.c;
    case ConvolutionAlgorithm::kImplicitGemm:
      break;
  }
  return true;
}

// Output positions of one Winograd tile along one dimension, and its transformed side.
inline double winograd_outputs(ConvolutionAlgorithm a) {
  return a == ConvolutionAlgorithm::kWinograd ? 2 : 4;
}
inline double winograd_side(const ConvolutionInput& in, ConvolutionAlgorithm a) {
  return winograd_outputs(a) + in.r - 1;
}
// Tiles over all images; gradients of the input tile the input plane.
inline double winograd_tiles(const ConvolutionInput& in, ConvolutionAlgorithm a) {
  const double m = winograd_outputs(a);
  const bool of_input = in.pass == ConvolutionPass::kDgrad;
  return in.n * std::ceil((of_input ? in.h : in.p) / m) * std::ceil((of_input ? in.w : in.q) / m);
}

// Tiles per image, points per tile and direction of the FFT form.
struct FftPlan {
  double tiles = 1;
  double points = 0;  // of one real tile
};
inline FftPlan fft_plan(const ConvolutionInput& in) {
  const double side_h = in.h + in.r - 1;
  const double side_w = in.w + in.s - 1;
  if (side_h <= kFftTile && side_w <= kFftTile) return {1, side_h * side_w};
  const double tiles =
      std::ceil(in.p / (kFftTile + 1 - in.r)) * std::ceil(in.q / (kFftTile + 1 - in.s));
  return {tiles, kFftTile * kFftTile};
}

// Elements of the three spectra (complex numbers of half the plane count as the plane).
inline double fft_elements(const ConvolutionInput& in) {
  const FftPlan plan = fft_plan(in);
  return plan.points * (plan.tiles * in.n * (in.c + in.k) + in.c * in.k);
}
// Transforms of 2.5 x log2 x FLOP per real plane of x points; 4 real multiply-adds per complex
// product, half of the plane being redundant.
inline double fft_flops(const ConvolutionInput& in) {
  const FftPlan plan = fft_plan(in);
  const double transforms = 2.5 * fft_elements(in) * std::log2(plan.points);
  return transforms + 4 * plan.points * plan.tiles * in.n * in.c * in.k;
}
inline double fft_bytes(const ConvolutionInput& in) {
  return compulsory_bytes(in) + 2 * in.element_bytes * fft_elements(in);
}

inline double winograd_elements(const ConvolutionInput& in, ConvolutionAlgorithm a) {
  const double side = winograd_side(in, a);
  return side * side * (winograd_tiles(in, a) * (in.c + in.k) + in.c * in.k);
}

inline double workspace_bytes(const ConvolutionInput& in, ConvolutionAlgorithm algorithm) {
  if (algorithm == ConvolutionAlgorithm::kFft) return in.element_bytes * fft_elements(in);
  if (algorithm != ConvolutionAlgorithm::kWinogradStaged) return 0;
  return in.element_bytes * winograd_elements(in, algorithm);
}

// The matrix product that implicit GEMM or a Winograd form amounts to.
inline TiledProduct product(const ConvolutionInput& in, ConvolutionAlgorithm algorithm) {
  TiledProduct out;
  out.on_matrix_units = in.on_matrix_units;
  out.bytes = compulsory_bytes(in);
  if (algorithm == ConvolutionAlgorithm::kImplicitGemm) {
    const double channels = in.c / in.groups;
    const double filters = in.k / in.groups;
    const double taps = in.r * in.s;
    const double outputs = in.n * in.p * in.q;
    out.batch = in.groups;
    if (in.pass == ConvolutionPass::kForward) {
      out.m = outputs, out.n = filters, out.k = channels * taps;
    } else if (in.pass == ConvolutionPass::kDgrad) {
      // Only every stride-th tap of a position contributes.
      out.m = in.n * in.h * in.w, out.n = channels;
      out.k = std::fmax(1.0, filters * taps / (in.stride_h * in.stride_w));
    } else {
      out.m = filters, out.n = channels * taps, out.k = outputs;
    }
    return out;
  }
  const double side = winograd_side(in, algorithm);
  const double tiles = winograd_tiles(in, algorithm);
  out.batch = side * side;
  out.m = in.pass == ConvolutionPass::kWgrad ? in.k : tiles;
  out.n = in.pass == ConvolutionPass::kForward ? in.k : in.c;
  out.k = in.pass == ConvolutionPass::kForward ? in.c
          : in.pass == ConvolutionPass::kDgrad ? in.k
                                               : tiles;
  if (algorithm == ConvolutionAlgorithm::kWinogradStaged) {
    out.bytes += 2 * in.element_bytes * winograd_elements(in, algorithm);
  }
  return out;
}

}  // namespace paceline::formula
