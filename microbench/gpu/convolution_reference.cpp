#include "microbench/gpu/convolution_reference.h"

namespace paceline {

double conv_output(const ConvLayer& l, const ConvTensor& x, const ConvTensor& w,
                   const ConvPlace& place) {
  const auto [n, k, p, q] = place;
  const std::int64_t first = k / l.group_outputs() * l.group_inputs();
  double sum = 0;
  for (std::int64_t c = 0; c < l.group_inputs(); ++c) {
    for (std::int64_t r = 0; r < l.r; ++r) {
      for (std::int64_t s = 0; s < l.s; ++s) {
        const std::int64_t row = p * l.stride - l.pad + r, column = q * l.stride - l.pad + s;
        if (row < 0 || row >= l.h || column < 0 || column >= l.w) continue;
        sum += x({n, first + c, row, column}) * w({k, c, r, s});
      }
    }
  }
  return sum;
}

double conv_input_gradient(const ConvLayer& l, const ConvTensor& y, const ConvTensor& w,
                           const ConvPlace& place) {
  const auto [n, c, h, v] = place;
  const std::int64_t first = c / l.group_inputs() * l.group_outputs();
  double sum = 0;
  for (std::int64_t k = first; k < first + l.group_outputs(); ++k) {
    for (std::int64_t r = 0; r < l.r; ++r) {
      for (std::int64_t s = 0; s < l.s; ++s) {
        const std::int64_t row = h + l.pad - r, column = v + l.pad - s;
        if (row < 0 || column < 0 || row % l.stride != 0 || column % l.stride != 0) continue;
        const std::int64_t p = row / l.stride, q = column / l.stride;
        if (p >= l.p() || q >= l.q()) continue;
        sum += y({n, k, p, q}) * w({k, c % l.group_inputs(), r, s});
      }
    }
  }
  return sum;
}

double conv_filter_gradient(const ConvLayer& l, const ConvTensor& x, const ConvTensor& y,
                            const ConvPlace& place) {
  const auto [k, c, r, s] = place;
  const std::int64_t channel = k / l.group_outputs() * l.group_inputs() + c;
  double sum = 0;
  for (std::int64_t n = 0; n < l.n; ++n) {
    for (std::int64_t p = 0; p < l.p(); ++p) {
      for (std::int64_t q = 0; q < l.q(); ++q) {
        const std::int64_t row = p * l.stride - l.pad + r, column = q * l.stride - l.pad + s;
        if (row < 0 || row >= l.h || column < 0 || column >= l.w) continue;
        sum += x({n, channel, row, column}) * y({n, k, p, q});
      }
    }
  }
  return sum;
}

}  // namespace paceline
