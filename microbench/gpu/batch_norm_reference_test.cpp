#include "microbench/gpu/batch_norm_reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace paceline {
namespace {

const std::vector<double> kX = {0.3, -1.2, 2.5, 0.7, -0.4};
const std::vector<double> kDy = {1.0, -0.5, 0.25, 2.0, -3.0};
constexpr double kScale = 1.5, kShift = -0.25, kEpsilon = 1e-5;

// With scale s and shift b the mean of the outputs is b and their variance s^2, but for epsilon.
TEST(BatchNormReference, OutputsHaveTheMeanAndVarianceAskedFor) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    const double y = batch_norm_output(kX, i, kScale, kShift, 0);
    sum += y;
    squares += (y - kShift) * (y - kShift);
  }
  EXPECT_NEAR(sum / 5, kShift, 1e-12);
  EXPECT_NEAR(squares / 5, kScale * kScale, 1e-12);
}

// The gradient is what a small change of one input makes of the sum of dy times the outputs.
TEST(BatchNormReference, GradientIsThatOfTheOutput) {
  const auto loss = [](const std::vector<double>& x) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum += kDy[j] * batch_norm_output(x, j, kScale, kShift, kEpsilon);
    }
    return sum;
  };
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < kX.size(); ++i) {
    std::vector<double> more = kX, less = kX;
    more[i] += kStep;
    less[i] -= kStep;
    EXPECT_NEAR(batch_norm_gradient(kX, kDy, i, kScale, kEpsilon),
                (loss(more) - loss(less)) / (2 * kStep), 1e-6)
        << i;
  }
}

}  // namespace
}  // namespace paceline
