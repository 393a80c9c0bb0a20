#include "calibration/gpu/interval_width.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/statistics.h"

namespace paceline {
namespace {

using Shapes = std::vector<UnseenShape>;

// Devices whose shapes are off by an error of the device (0.2) and one of each shape (0.1), while
// the parameters' errors claim `claimed` of variance.
std::vector<Shapes> devices(int count, double claimed, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> of_device(0, 0.2), of_shape(0, 0.1);
  std::vector<Shapes> out;
  for (int d = 0; d < count; ++d) {
    const double common = of_device(random);
    Shapes shapes;
    for (int i = 0; i < 200; ++i) {
      shapes.push_back({.shape = std::to_string(i),
                        .group = std::to_string(i / 10),
                        .log_error = common + of_shape(random),
                        .parameter_variance = claimed});
    }
    out.push_back(std::move(shapes));
  }
  return out;
}

// Whether the parameters claim nothing, the truth or far too much: 90 % of the timings of devices
// that gave no width lie inside, over many such families.
TEST(IntervalWidth, HoldsNineOfTenTimingsOfOtherDevices) {
  for (const double claimed : {0.0, 0.04, 1.0}) {
    std::vector<double> inside;
    for (unsigned seed = 1; seed <= 40; ++seed) {
      std::vector<Shapes> folds = devices(6, claimed, seed);
      state_sds_by_others(folds);
      for (const Shapes& fold : folds)
        inside.push_back(GpuFold{.device = "", .split = "", .shapes = fold}.coverage90());
    }
    EXPECT_NEAR(mean(inside), 0.9, 0.04) << claimed;
  }
}

// Parameters that claim too much are narrowed, those that claim too little widened, and the fit
// carries it.
TEST(IntervalWidth, NarrowsWhatClaimsTooMuch) {
  EXPECT_LT(width_of_devices(devices(6, 1.0, 3)).parameters, 0.6);
  EXPECT_EQ(width_of_devices(devices(6, 1.0, 3), 1).parameters, 1);
  Fit fit;
  fit.parameters = {{.name = "x", .value = 1, .std_error = 0.5, .unit = "1"}};
  fit.covariance = {0.25};
  set_width(fit, {.shared_sd = 0.1, .own_sd = 0.2, .parameters = 0.5});
  EXPECT_DOUBLE_EQ(fit.parameters[0].std_error, 0.25);
  EXPECT_DOUBLE_EQ(fit.covariance[0], 0.0625);
  EXPECT_DOUBLE_EQ(fit.quality.shared_sd, 0.1);
  EXPECT_DOUBLE_EQ(fit.quality.own_sd, 0.2);
}

// Errors with long tails (one in ten four times as large), where two standard deviations would not
// be what nine of ten need: the width of some groups holds 90 % of the others.
TEST(IntervalWidth, HoldsNineOfTenShapesOfOtherGroups) {
  std::vector<double> inside;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> small(0, 0.05), large(0, 0.2);
    std::bernoulli_distribution is_large(0.1);
    Shapes shapes;
    for (int i = 0; i < 80; ++i) {
      shapes.push_back({.shape = std::to_string(i),
                        .group = std::to_string(i / 4),
                        .log_error = is_large(random) ? large(random) : small(random)});
    }
    state_sds_by_other_groups(shapes);
    EXPECT_EQ(shapes.size(), 80u);
    inside.push_back(GpuFold{.device = "", .split = "", .shapes = shapes}.coverage90());
  }
  EXPECT_NEAR(mean(inside), 0.9, 0.03);
}

}  // namespace
}  // namespace paceline
