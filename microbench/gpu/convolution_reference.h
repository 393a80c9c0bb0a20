// A convolution and its two gradients from their definition, one element at a time: what results of
// a GPU are compared with.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

namespace paceline {

// Square padding and stride; input n x c x h x w, filter k x c/groups x r x s.
struct ConvLayer {
  std::int64_t n, c, h, w, k, r, s, pad, stride, groups;
  std::int64_t p() const { return (h + 2 * pad - r) / stride + 1; }
  std::int64_t q() const { return (w + 2 * pad - s) / stride + 1; }
  std::int64_t group_inputs() const { return c / groups; }
  std::int64_t group_outputs() const { return k / groups; }
};

// Place of an element: n c h w of the input, n k p q of the output, k c r s of the filter.
using ConvPlace = std::array<std::int64_t, 4>;
using ConvTensor = std::function<double(const ConvPlace&)>;

// sum over c, r, s of x w
double conv_output(const ConvLayer& layer, const ConvTensor& x, const ConvTensor& w,
                   const ConvPlace& place);
// sum over k, r, s of y w: the gradient of the input, where y is that of the output
double conv_input_gradient(const ConvLayer& layer, const ConvTensor& y, const ConvTensor& w,
                           const ConvPlace& place);
// sum over n, p, q of x y: the gradient of the filter
double conv_filter_gradient(const ConvLayer& layer, const ConvTensor& x, const ConvTensor& y,
                            const ConvPlace& place);

}  // namespace paceline
