#include "microbench/gpu/attention_reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace paceline {
namespace {

// Four vectors of three numbers that have nothing to do with one another.
AttentionMatrix numbers(double seed) {
  return [seed](std::int64_t row, std::int64_t column) {
    return std::sin(seed + 2.3 * static_cast<double>(row) + 1.7 * static_cast<double>(column));
  };
}
const AttentionRow kLast{.row = 3, .keys = 4, .width = 3, .scale = 0.6};

// Equal scores: the mean of the values that are attended to.
TEST(AttentionReference, OfEqualScoresIsTheMeanOfTheValues) {
  const AttentionMatrix none = [](std::int64_t, std::int64_t) { return 0.0; };
  const AttentionMatrix v = numbers(3);
  const auto y = attention_output({.row = 1, .keys = 2, .width = 3}, none, numbers(2), v);
  for (std::int64_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(y[static_cast<std::size_t>(c)], 0.5 * (v(0, c) + v(1, c)), 1e-12);
  }
}

// One score far above the others: its value alone.
TEST(AttentionReference, OfOneLargeScoreIsItsValue) {
  const AttentionMatrix one = [](std::int64_t, std::int64_t) { return 1.0; };
  const AttentionMatrix k = [](std::int64_t row, std::int64_t) { return row == 2 ? 100.0 : 0.0; };
  const AttentionMatrix v = numbers(3);
  EXPECT_NEAR(attention_output(kLast, one, k, v).at(1), v(2, 1), 1e-12);
}

// The gradient is what a small change of one query makes of the sum of dy times the outputs.
TEST(AttentionReference, GradientIsThatOfTheOutput) {
  const AttentionMatrix q = numbers(1), k = numbers(2), v = numbers(3), dy = numbers(4);
  const auto loss = [&](std::int64_t changed, double by) {
    const AttentionMatrix other = [&](std::int64_t row, std::int64_t column) {
      return q(row, column) + (column == changed ? by : 0);
    };
    const auto y = attention_output(kLast, other, k, v);
    double sum = 0;
    for (std::int64_t c = 0; c < 3; ++c) sum += dy(3, c) * y[static_cast<std::size_t>(c)];
    return sum;
  };
  constexpr double kStep = 1e-6;
  const auto gradient = attention_query_gradient(kLast, q, k, v, dy);
  for (std::int64_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(gradient[static_cast<std::size_t>(c)],
                (loss(c, kStep) - loss(c, -kStep)) / (2 * kStep), 1e-8)
        << c;
  }
}

}  // namespace
}  // namespace paceline
