// What the convolution formulas of a GPU take, and the algorithms that libraries choose between.
#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "model/formula/gpu_device.h"

namespace paceline::formula {

enum class ConvolutionPass { kForward, kDgrad, kWgrad };

struct ConvolutionInput {
  ConvolutionPass pass = ConvolutionPass::kForward;
  double n = 0, c = 0, h = 0, w = 0;
  double k = 0, r = 0, s = 0;
  double p = 0, q = 0;  // output height and width
  double stride_h = 1, stride_w = 1;
  double groups = 1;
  bool channels_last = false;
  double element_bytes = 4;
  bool on_matrix_units = false;
  double reuse_distance = 0;  // bytes touched since the operands were last used
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

// Matrix units read images with the channels of a place together. Libraries convert others by a
// kernel before and one after their own: input and output are read and written once more.
inline bool is_converted(const ConvolutionInput& in) {
  return in.on_matrix_units && !in.channels_last;
}
inline double input_conversion_bytes(const ConvolutionInput& in) {
  return 2 * in.element_bytes * in.n * in.c * in.h * in.w;
}
inline double output_conversion_bytes(const ConvolutionInput& in) {
  return 2 * in.element_bytes * in.n * in.k * in.p * in.q;
}

inline double compulsory_bytes(const ConvolutionInput& in) {
  return in.element_bytes * (in.n * in.c * in.h * in.w + in.n * in.k * in.p * in.q +
                             in.k * (in.c / in.groups) * in.r * in.s);
}

}  // namespace paceline::formula
