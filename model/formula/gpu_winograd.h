// Winograd's form of a convolution of unit stride: tiles of m x m outputs need (m + R - 1)^2
// products instead of m^2 R^2. Fused kernels take m = 2, kernels that write the transformed tensors
// to memory take m = 4. Fused kernels give a block 4 x 8 tiles of one image and 32 filters; the
// transforms of staged kernels work on 16 images at a time. Both are what the grids of cuDNN's
// kernels in published traces are (docs/models/gpu-convolution.md), and images that do not fill
// them are padded. Source: Lavin and Gray, "Fast algorithms for convolutional neural
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
// Tiles over all images; gradients of the input tile the input plane. `rows` x `columns` of them
// are worked on together.
inline double winograd_tiles(const ConvolutionInput& in, ConvolutionAlgorithm a, double images,
                             double rows = 1, double columns = 1) {
  const double m = winograd_outputs(a);
  const bool of_input = in.pass == ConvolutionPass::kDgrad;
  return images * rows * std::ceil((of_input ? in.h : in.p) / (rows * m)) * columns *
         std::ceil((of_input ? in.w : in.q) / (columns * m));
}
// At least, and with the padding of cuDNN's kernels.
inline double winograd_tiles(const ConvolutionInput& in, ConvolutionAlgorithm a) {
  return winograd_tiles(in, a, in.n);
}
inline double padded_winograd_tiles(const ConvolutionInput& in, ConvolutionAlgorithm a) {
  constexpr double kImages = 16, kRows = 4, kColumns = 8;
  if (a == ConvolutionAlgorithm::kWinograd) return winograd_tiles(in, a, in.n, kRows, kColumns);
  if (in.pass == ConvolutionPass::kWgrad) return winograd_tiles(in, a);
  return winograd_tiles(in, a, kImages * std::ceil(in.n / kImages));
}

// Elements of the three transformed tensors.
inline double winograd_elements(const ConvolutionInput& in, ConvolutionAlgorithm a) {
  const double side = winograd_side(in, a);
  return side * side * (padded_winograd_tiles(in, a) * (in.c + in.k) + in.c * in.k);
}

}  // namespace paceline::formula
