#include "microbench/gpu/recurrent_reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace paceline {
namespace {

TEST(RecurrentReference, OfAPlainLayerIsItsActivation) {
  EXPECT_DOUBLE_EQ(recurrent_first_output({0.3}, {0.1}), std::tanh(0.4));
}

// Gates that are fully open or shut leave what they let through.
TEST(RecurrentReference, OfAnLstmFollowsItsGates) {
  const std::vector<double> none = {0, 0, 0, 0};
  constexpr double kOpen = 50, kShut = -50;
  EXPECT_NEAR(recurrent_first_output({kOpen, 0, 0.7, kOpen}, none), std::tanh(std::tanh(0.7)),
              1e-12);
  EXPECT_NEAR(recurrent_first_output({kShut, 0, 0.7, kOpen}, none), 0, 1e-12);
  EXPECT_NEAR(recurrent_first_output({kOpen, 0, 0.7, kShut}, none), 0, 1e-12);
  // The forget gate has nothing to forget.
  EXPECT_EQ(recurrent_first_output({1, kOpen, 0.7, 1}, none),
            recurrent_first_output({1, kShut, 0.7, 1}, none));
}

TEST(RecurrentReference, OfAGruFollowsItsGates) {
  constexpr double kOpen = 50, kShut = -50;
  // The update gate keeps the old state, which is zero.
  EXPECT_NEAR(recurrent_first_output({0, kOpen, 0.7}, {0, 0, 0.2}), 0, 1e-12);
  // The reset gate takes the state's part of the new gate away.
  EXPECT_NEAR(recurrent_first_output({kShut, kShut, 0.7}, {0, 0, 0.2}), std::tanh(0.7), 1e-12);
  EXPECT_NEAR(recurrent_first_output({kOpen, kShut, 0.7}, {0, 0, 0.2}), std::tanh(0.9), 1e-12);
}

}  // namespace
}  // namespace paceline
