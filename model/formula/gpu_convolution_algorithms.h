// The algorithms by which libraries compute a convolution on a GPU: where each is possible, its
// arithmetic, its workspace and what its further kernels move. The product it amounts to is in
// gpu_convolution_product.h; the symbols and sources are explained in gpu_convolution.h.
#pragma once

#include <cmath>

#include "model/formula/gpu_fft_convolution.h"
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

// What other kernels than that of the product move: the transforms of a staged Winograd form, and
// the zeros that the gradient of the input starts from where not every position sees a tap.
inline double other_bytes(const ConvolutionInput& in, ConvolutionAlgorithm algorithm) {
  if (algorithm == ConvolutionAlgorithm::kWinogradStaged) {
    return compulsory_bytes(in) + in.element_bytes * winograd_elements(in, algorithm);
  }
  const bool has_zeros = algorithm == ConvolutionAlgorithm::kImplicitGemm &&
                         in.pass == ConvolutionPass::kDgrad && in.stride_h * in.stride_w > 1;
  return has_zeros ? in.element_bytes * in.n * in.c * in.h * in.w : 0;
}

// FLOP of an algorithm: its products and, of the FFT, its transforms. The transforms of Winograd
// forms and all padding are left out, so this is what they execute at least.
inline double algorithm_flops(const ConvolutionInput& in, ConvolutionAlgorithm algorithm) {
  const double taps = in.r * in.s;
  if (algorithm == ConvolutionAlgorithm::kFft) return fft_flops(in);
  if (algorithm == ConvolutionAlgorithm::kDepthwise) {
    return 2 * in.n * in.p * in.q * in.k * (in.c / in.groups) * taps;
  }
  if (algorithm != ConvolutionAlgorithm::kImplicitGemm) {
    const double side = winograd_side(in, algorithm);
    return 2 * side * side * winograd_tiles(in, algorithm) * in.c * in.k;
  }
  const double positions = in.pass == ConvolutionPass::kDgrad
                               ? in.n * in.h * in.w / (in.stride_h * in.stride_w)
                               : in.n * in.p * in.q;
  return 2 * in.groups * positions * fed_channels(in, in.c / in.groups) *
         fed_channels(in, in.k / in.groups) * taps;
}

}  // namespace paceline::formula
