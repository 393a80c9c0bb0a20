// A convolution written as its definition, one output element at a time, on plain layouts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace paceline {

// Square images h x h and filters r x r.
struct ConvolutionSizes {
  std::int64_t n, c, h, k, r, stride, pad;
  std::int64_t out() const { return (h + 2 * pad - r) / stride + 1; }
};

struct ReferenceSum {
  double value = 0;
  std::int64_t terms = 0;
};

// Element `index` of the n x k x out x out output; source n c h h, weights k c r r.
ReferenceSum reference_forward(const ConvolutionSizes& sizes, const float* source,
                               const float* weights, std::size_t index);
// Element `index` of the n x c x h x h gradient of the source; `gradient` has the output's shape.
ReferenceSum reference_dgrad(const ConvolutionSizes& sizes, const float* gradient,
                             const float* weights, std::size_t index);
// Element `index` of the k x c x r x r gradient of the weights.
ReferenceSum reference_wgrad(const ConvolutionSizes& sizes, const float* source,
                             const float* gradient, std::size_t index);

}  // namespace paceline
