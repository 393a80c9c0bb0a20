#include "calibration/gpu/between_families.h"

#include <gtest/gtest.h>

#include <random>

namespace paceline {
namespace {

// `families` families of `devices` devices each, whose typical errors are sqrt(share) of the
// device's and sqrt(1 - share) of device and family, in units of the stated standard deviation.
std::vector<FamilyFit> drawn(int families, int devices, double share) {
  constexpr double kSd = 0.2;
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> of_device;
  for (int d = 0; d < devices; ++d) of_device.push_back(normal(random));
  std::vector<FamilyFit> out(static_cast<std::size_t>(families));
  for (FamilyFit& family : out) {
    family.width.shared_sd = kSd;
    for (int d = 0; d < devices; ++d) {
      const double z = std::sqrt(share) * of_device[static_cast<std::size_t>(d)] +
                       std::sqrt(1 - share) * normal(random);
      UnseenShape shape{.shape = "", .group = "", .log_error = kSd * z};
      family.folds.push_back({"device" + std::to_string(d), kLeftOut, {shape}});
    }
  }
  return out;
}

// Errors drawn with a known share in common give that share back.
TEST(BetweenFamilies, FindsWhatFamiliesHaveInCommon) {
  EXPECT_NEAR(common_share(drawn(12, 60, 0.6)), 0.6, 0.12);
  EXPECT_NEAR(common_share(drawn(12, 60, 0.0)), 0.0, 0.05);
  EXPECT_NEAR(common_share(drawn(12, 60, 1.0)), 1.0, 0.05);
}

// A device that is alone in a family is held against its own error, which says nothing.
TEST(BetweenFamilies, LeavesFamiliesOfOneDeviceAside) {
  std::vector<FamilyFit> families = drawn(12, 20, 0.5);
  const double before = common_share(families);
  FamilyFit alone;
  alone.width.shared_sd = 0.1;
  alone.folds.push_back(
      {"device0", kLeftOut, {UnseenShape{.shape = "", .group = "", .log_error = 5}}});
  families.push_back(alone);
  EXPECT_EQ(common_share(families), before);
}

TEST(BetweenFamilies, IsWrittenAsAFit) {
  const ParameterSet out = between_families(drawn(6, 10, 0.5));
  const double share = out.at("gpu.transfer").value("common_share");
  EXPECT_GE(share, 0);
  EXPECT_LE(share, 1);
}

}  // namespace
}  // namespace paceline
