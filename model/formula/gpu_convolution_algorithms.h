// The algorithms by which libraries compute a convolution on a GPU: where each is possible, the
// matrix product it amounts to, its arithmetic and its workspace. Times are in gpu_convolution.h;
// the symbols and sources are explained there.
#pragma once

#include <array>
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

// Tiles of implicit GEMM in fp32, outputs x channels, as kernels in published traces have them.
inline constexpr std::array<TileChoice, 5> kImplicitTiles = {
    {{128, 128}, {128, 64}, {128, 32}, {64, 32}, {32, 32}}};
// A block of a fused Winograd kernel: 32 tiles x 32 filters of 16 products each.
inline constexpr std::array<TileChoice, 1> kWinogradTiles = {{{128, 128}}};

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
    const bool has_own_tiles = !in.on_matrix_units && in.pass != ConvolutionPass::kWgrad;
    if (has_own_tiles) out.own_tiles = kImplicitTiles;
    if (in.pass == ConvolutionPass::kForward) {
      out.m = outputs, out.n = filters, out.k = channels * taps;
    } else if (in.pass == ConvolutionPass::kDgrad) {
      // Positions whose coordinates leave the same rest on division by the strides see the same
      // taps: a product of its own for each such rest that sees any.
      const double rests_h = std::fmin(in.r, in.stride_h), rests_w = std::fmin(in.s, in.stride_w);
      out.batch *= rests_h * rests_w;
      out.m = in.n * std::ceil(in.h / in.stride_h) * std::ceil(in.w / in.stride_w);
      out.n = channels;
      out.k = filters * taps / (rests_h * rests_w);
    } else {
      out.m = filters, out.n = channels * taps, out.k = outputs;
    }
    return out;
  }
  const double side = winograd_side(in, algorithm);
  const double tiles = padded_winograd_tiles(in, algorithm);
  out.batch = side * side;
  out.m = in.pass == ConvolutionPass::kWgrad ? in.k : tiles;
  out.n = in.pass == ConvolutionPass::kForward ? in.k : in.c;
  out.k = in.pass == ConvolutionPass::kForward ? in.c
          : in.pass == ConvolutionPass::kDgrad ? in.k
                                               : tiles;
  if (algorithm == ConvolutionAlgorithm::kWinogradStaged) {
    out.bytes = in.element_bytes * winograd_elements(in, algorithm);  // between the transforms
    return out;
  }
  // One block does all 16 products of its tiles and filters: four times as many of each.
  out.batch = 1;
  out.m *= 4;
  out.n *= 4;
  out.own_tiles = kWinogradTiles;
  return out;
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
