// The matrix product that an algorithm of a convolution amounts to, and the tiles that its kernels
// cut it into. The symbols and sources are explained in gpu_convolution.h.
#pragma once

#include <array>
#include <cmath>

#include "model/formula/gpu_convolution_algorithms.h"
#include "model/formula/gpu_tiles.h"

namespace paceline::formula {

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

}  // namespace paceline::formula
