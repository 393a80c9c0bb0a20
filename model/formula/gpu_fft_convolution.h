// A convolution of unit stride through Fourier transforms: of the whole plane where it is small, of
// overlapping 32 x 32 tiles otherwise. Source: Mathieu, Henaff and LeCun, "Fast training of
// convolutional networks through FFTs", ICLR 2014; cuDNN's tiled form.
#pragma once

#include <cmath>

#include "model/formula/gpu_convolution_input.h"

namespace paceline::formula {

inline constexpr double kFftTile = 32;

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

}  // namespace paceline::formula
