// The algorithms by which libraries compute a convolution on a GPU: where each is possible, the
// matrix product it amounts to, its arithmetic and its workspace. Times are in gpu_convolution.h;
// the symbols and sources are explained there.
#pragma once

#include <cmath>

#include "model/formula/gpu_fft_convolution.h"
#include "model/formula/gpu_tiles.h"
#include "model/formula/gpu_winograd.h"

namespace paceline::formula {

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

inline double workspace_bytes(const ConvolutionInput& in, ConvolutionAlgorithm algorithm) {
  if (algorithm == ConvolutionAlgorithm::kFft) return in.element_bytes * fft_elements(in);
  if (algorithm != ConvolutionAlgorithm::kWinogradStaged) return 0;
  return in.element_bytes * winograd_elements(in, algorithm);
}

// Matrix units read the channels of a place in vectors of eight, padded with zeros.
inline double fed_channels(const ConvolutionInput& in, double channels) {
  constexpr double kVector = 8;
  return in.on_matrix_units ? kVector * std::ceil(channels / kVector) : channels;
}

// The matrix product that implicit GEMM or a Winograd form amounts to.
inline TiledProduct product(const ConvolutionInput& in, ConvolutionAlgorithm algorithm) {
  TiledProduct out;
  out.on_matrix_units = in.on_matrix_units;
  out.bytes = compulsory_bytes(in);
  out.reuse_distance = in.reuse_distance;
  if (algorithm == ConvolutionAlgorithm::kImplicitGemm) {
    const double channels = fed_channels(in, in.c / in.groups);
    const double filters = fed_channels(in, in.k / in.groups);
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

// FLOP of an algorithm: its products and, of the FFT, its transforms. The transforms of Winograd
// forms are left out, so this is what they execute at least.
inline double algorithm_flops(const ConvolutionInput& in, ConvolutionAlgorithm algorithm) {
  if (algorithm == ConvolutionAlgorithm::kFft) return fft_flops(in);
  if (algorithm == ConvolutionAlgorithm::kDepthwise) {
    return 2 * in.n * in.p * in.q * in.k * (in.c / in.groups) * in.r * in.s;
  }
  const TiledProduct p = product(in, algorithm);
  return 2 * p.batch * p.m * p.n * p.k;
}

}  // namespace paceline::formula
