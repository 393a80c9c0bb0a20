// Winograd's form of a convolution of unit stride: tiles of m x m outputs need (m + R - 1)^2
// products instead of m^2 R^2. Fused kernels take m = 2, kernels that write the transformed tensors
// to memory take m = 4. Source: Lavin and Gray, "Fast algorithms for convolutional neural
// networks", CVPR 2016.
#pragma once

#include <cmath>

#include "model/formula/gpu_convolution_input.h"

namespace paceline::formula {

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

// Elements of the three transformed tensors.
inline double winograd_elements(const ConvolutionInput& in, ConvolutionAlgorithm a) {
  const double side = winograd_side(in, a);
  return side * side * (winograd_tiles(in, a) * (in.c + in.k) + in.c * in.k);
}

}  // namespace paceline::formula
