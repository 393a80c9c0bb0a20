#include "microbench/gpu/convolution_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "microbench/cuda/support/random_value.h"

namespace paceline {
namespace {

// A tensor of these extents with random values.
ConvTensor random_tensor_of(const ConvPlace& extents, std::uint32_t seed) {
  return [extents, seed](const ConvPlace& place) {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
      EXPECT_GE(place[i], 0);
      EXPECT_LT(place[i], extents[i]);
      index = index * extents[i] + place[i];
    }
    return static_cast<double>(random_value(static_cast<std::uint64_t>(index), seed));
  };
}

template <typename Function>
double sum_over(const ConvPlace& extents, Function value) {
  double sum = 0;
  for (std::int64_t a = 0; a < extents[0]; ++a) {
    for (std::int64_t b = 0; b < extents[1]; ++b) {
      for (std::int64_t i = 0; i < extents[2]; ++i) {
        for (std::int64_t j = 0; j < extents[3]; ++j) sum += value(ConvPlace{a, b, i, j});
      }
    }
  }
  return sum;
}

// The output is linear in input and filter, and each gradient is the transposed of that map: the
// same sum of x w y, added up in three orders.
TEST(ConvolutionReference, GradientsAreTheTransposedOfTheOutput) {
  for (const ConvLayer& layer :
       {ConvLayer{2, 3, 7, 6, 4, 3, 3, 1, 1, 1}, ConvLayer{2, 4, 9, 8, 6, 5, 3, 2, 2, 2},
        ConvLayer{1, 4, 6, 6, 4, 3, 3, 0, 3, 4}, ConvLayer{3, 2, 5, 5, 2, 1, 1, 0, 2, 1}}) {
    const ConvPlace input = {layer.n, layer.c, layer.h, layer.w};
    const ConvPlace output = {layer.n, layer.k, layer.p(), layer.q()};
    const ConvPlace filter = {layer.k, layer.group_inputs(), layer.r, layer.s};
    const ConvTensor x = random_tensor_of(input, 1), y = random_tensor_of(output, 2),
                     w = random_tensor_of(filter, 3);
    const double by_output =
        sum_over(output, [&](const ConvPlace& at) { return y(at) * conv_output(layer, x, w, at); });
    const double by_input = sum_over(
        input, [&](const ConvPlace& at) { return x(at) * conv_input_gradient(layer, y, w, at); });
    const double by_filter = sum_over(
        filter, [&](const ConvPlace& at) { return w(at) * conv_filter_gradient(layer, x, y, at); });
    EXPECT_NE(by_output, 0);
    EXPECT_NEAR(by_input, by_output, 1e-9);
    EXPECT_NEAR(by_filter, by_output, 1e-9);
  }
}

TEST(ConvolutionReference, OfOnesCountsTheWindowInsideTheImage) {
  const ConvLayer layer = {1, 1, 4, 4, 1, 3, 3, 1, 1, 1};
  const ConvTensor one = [](const ConvPlace&) { return 1.0; };
  EXPECT_EQ(conv_output(layer, one, one, {0, 0, 0, 0}), 4);
  EXPECT_EQ(conv_output(layer, one, one, {0, 0, 0, 1}), 6);
  EXPECT_EQ(conv_output(layer, one, one, {0, 0, 1, 1}), 9);
}

// What operands are filled with: mean 0, standard deviation 1, no value far out.
TEST(RandomValues, AreNearlyNormal) {
  double sum = 0, squares = 0, largest = 0;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    const auto value = static_cast<double>(random_value(static_cast<std::uint64_t>(i), 7));
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
  EXPECT_LT(largest, 3.5);
}

}  // namespace
}  // namespace paceline
