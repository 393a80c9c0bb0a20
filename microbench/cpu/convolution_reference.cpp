#include "microbench/cpu/convolution_reference.h"

namespace paceline {
namespace {

// Indices of element `index` of a row-major a x b x c x d array.
struct Place {
  std::int64_t a, b, c, d;
};

Place place_of(std::size_t index, std::int64_t b, std::int64_t c, std::int64_t d) {
  const auto i = static_cast<std::int64_t>(index);
  return {i / (b * c * d), i / (c * d) % b, i / d % c, i % d};
}

double at(const float* data, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d,
          std::int64_t size_b, std::int64_t size_cd) {
  return double{data[((a * size_b + b) * size_cd + c) * size_cd + d]};
}

void add(ReferenceSum& sum, double product) {
  sum.value += product;
  ++sum.terms;
}

bool inside(std::int64_t position, std::int64_t size) { return position >= 0 && position < size; }

}  // namespace

ReferenceSum reference_forward(const ConvolutionSizes& s, const float* source, const float* weights,
                               std::size_t index) {
  const Place out = place_of(index, s.k, s.out(), s.out());
  ReferenceSum sum;
  for (std::int64_t c = 0; c < s.c; ++c) {
    for (std::int64_t y = 0; y < s.r; ++y) {
      for (std::int64_t x = 0; x < s.r; ++x) {
        const std::int64_t h = out.c * s.stride - s.pad + y, w = out.d * s.stride - s.pad + x;
        if (!inside(h, s.h) || !inside(w, s.h)) continue;
        add(sum, at(source, out.a, c, h, w, s.c, s.h) * at(weights, out.b, c, y, x, s.c, s.r));
      }
    }
  }
  return sum;
}

ReferenceSum reference_dgrad(const ConvolutionSizes& s, const float* gradient, const float* weights,
                             std::size_t index) {
  const Place in = place_of(index, s.c, s.h, s.h);
  ReferenceSum sum;
  for (std::int64_t y = 0; y < s.r; ++y) {
    for (std::int64_t x = 0; x < s.r; ++x) {
      const std::int64_t h = in.c + s.pad - y, w = in.d + s.pad - x;
      if (h % s.stride != 0 || w % s.stride != 0) continue;
      const std::int64_t p = h / s.stride, q = w / s.stride;
      if (!inside(p, s.out()) || !inside(q, s.out())) continue;
      for (std::int64_t k = 0; k < s.k; ++k) {
        add(sum, at(gradient, in.a, k, p, q, s.k, s.out()) * at(weights, k, in.b, y, x, s.c, s.r));
      }
    }
  }
  return sum;
}

ReferenceSum reference_wgrad(const ConvolutionSizes& s, const float* source, const float* gradient,
                             std::size_t index) {
  const Place weight = place_of(index, s.c, s.r, s.r);
  ReferenceSum sum;
  for (std::int64_t n = 0; n < s.n; ++n) {
    for (std::int64_t p = 0; p < s.out(); ++p) {
      for (std::int64_t q = 0; q < s.out(); ++q) {
        const std::int64_t h = p * s.stride - s.pad + weight.c;
        const std::int64_t w = q * s.stride - s.pad + weight.d;
        if (!inside(h, s.h) || !inside(w, s.h)) continue;
        add(sum, at(source, n, weight.b, h, w, s.c, s.h) *
                     at(gradient, n, weight.a, p, q, s.k, s.out()));
      }
    }
  }
  return sum;
}

}  // namespace paceline
