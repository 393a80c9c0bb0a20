#include "microbench/cpu/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "microbench/cpu/convolution_reference.h"

namespace paceline {
namespace {

using testing::ElementsAre;

TEST(Check, RefusesWrongValuesAndNaN) {
  EXPECT_NO_THROW(require_close("x", 1.00001, 1));
  EXPECT_THROW(require_close("x", 1.01, 1), MeasurementError);
  EXPECT_THROW(require_close("x", std::numeric_limits<double>::quiet_NaN(), 1), MeasurementError);
  EXPECT_THROW(require_close("x", 1, std::numeric_limits<double>::quiet_NaN()), MeasurementError);
}

TEST(Check, IndicesIncludeBothEnds) {
  EXPECT_THAT(spread_indices(10, 4), ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(spread_indices(2, 16), ElementsAre(0, 1));
  EXPECT_THAT(spread_indices(1, 16), ElementsAre(0));
  EXPECT_THAT(spread_indices(0, 16), ElementsAre());
}

// One image 3 x 3 with values 1 ... 9, one filter 2 x 2, no padding, stride 1: a 2 x 2 output.
constexpr ConvolutionSizes kSmall = {1, 1, 3, 1, 2, 1, 0};
constexpr float kImage[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
constexpr float kFilter[] = {1, 10, 100, 1000};
constexpr float kGradient[] = {1, 2, 3, 4};

TEST(ConvolutionReference, ForwardIsASumOverTheWindow) {
  EXPECT_EQ(reference_forward(kSmall, kImage, kFilter, 0).value, 1 + 20 + 400 + 5000);
  EXPECT_EQ(reference_forward(kSmall, kImage, kFilter, 3).value, 5 + 60 + 800 + 9000);
}

// The middle of the image is in all four windows: 4 x 1 + 3 x 10 + 2 x 100 + 1 x 1000.
TEST(ConvolutionReference, DgradCollectsFromEveryWindow) {
  EXPECT_EQ(reference_dgrad(kSmall, kGradient, kFilter, 4).value, 1234);
  EXPECT_EQ(reference_dgrad(kSmall, kGradient, kFilter, 0).value, 1);
}

TEST(ConvolutionReference, WgradCollectsFromEveryOutput) {
  EXPECT_EQ(reference_wgrad(kSmall, kImage, kGradient, 0).value, 1 * 1 + 2 * 2 + 3 * 4 + 4 * 5);
  EXPECT_EQ(reference_wgrad(kSmall, kImage, kGradient, 3).value, 1 * 5 + 2 * 6 + 3 * 8 + 4 * 9);
}

// <forward(x), dy> = <x, dgrad(dy)> = <w, wgrad(x, dy)>: the passes are derivatives of one another,
// also with stride and padding.
TEST(ConvolutionReference, PassesAreAdjoint) {
  constexpr ConvolutionSizes sizes = {2, 3, 7, 4, 3, 2, 1};
  const auto values = [](std::int64_t count, int seed) {
    std::vector<float> out;
    for (std::int64_t i = 0; i < count; ++i) {
      out.push_back(static_cast<float>((i * 7 + seed) % 11 - 5));
    }
    return out;
  };
  const std::vector<float> x = values(2 * 3 * 7 * 7, 1), w = values(4 * 3 * 3 * 3, 2),
                           dy = values(2 * 4 * 4 * 4, 3);
  double forward = 0, dgrad = 0, wgrad = 0;
  for (std::size_t i = 0; i < dy.size(); ++i) {
    forward += reference_forward(sizes, x.data(), w.data(), i).value * double{dy[i]};
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    dgrad += reference_dgrad(sizes, dy.data(), w.data(), i).value * double{x[i]};
  }
  for (std::size_t i = 0; i < w.size(); ++i) {
    wgrad += reference_wgrad(sizes, x.data(), dy.data(), i).value * double{w[i]};
  }
  EXPECT_EQ(forward, dgrad);
  EXPECT_EQ(forward, wgrad);
}

}  // namespace
}  // namespace paceline
