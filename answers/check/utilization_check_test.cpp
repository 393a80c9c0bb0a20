#include "answers/check/utilization_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::HasSubstr;

class Utilization : public testing::Test {
 protected:
  DeviceCatalog catalog_ = DeviceCatalog::shipped();
  std::vector<Finding> check(double share, std::optional<double> peak) const {
    ClaimedUtilization claim{share, {}};
    if (peak) claim.assumed_peak = FlopsPerSecond(*peak);
    return check_utilization(claim, catalog_.at("h100-sxm"), Precision::kBf16, catalog_);
  }
};

// nanoGPT divided by the peak of an A100, whatever ran (karpathy/nanoGPT pull request 464).
TEST_F(Utilization, AboveOneIsImpossibleAndNamesThePeakThatWasProbablyUsed) {
  const std::vector<Finding> findings = check(1.04, std::nullopt);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].verdict, Verdict::kImpossible);
  EXPECT_THAT(findings[0].cause, HasSubstr("peak of another GPU"));
  EXPECT_THAT(findings[0].cause, HasSubstr("312 TFLOP/s of a100"));
}

// 24.3 % of 1979 TFLOP/s is 48.6 % of the dense 989 (fms-fsdp issue 89).
TEST_F(Utilization, OfTheSparsePeakIsGivenForBothPeaks) {
  const std::vector<Finding> findings = check(0.243, 1979e12);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].verdict, Verdict::kImplausible);
  EXPECT_THAT(findings[0].cause, HasSubstr("sparsity figure"));
  EXPECT_THAT(findings[0].cause, HasSubstr("24.3 %"));
  EXPECT_THAT(findings[0].cause, HasSubstr("48.6 %"));
  EXPECT_THAT(findings[0].cause, HasSubstr("989 TFLOP/s"));
}

TEST_F(Utilization, RecognizesThePeakOfAnotherPrecisionAndOfAnotherDevice) {
  EXPECT_THAT(check(0.5, 494.5e12)[0].cause, HasSubstr("tf32 peak"));
  EXPECT_THAT(check(0.5, 312e12)[0].cause, HasSubstr("peak of another GPU, a100"));
  EXPECT_THAT(check(0.5, 700e12)[0].cause, HasSubstr("no peak in the data sheet"));
}

TEST_F(Utilization, OfTheRightPeakIsPlausible) {
  for (const std::optional<double> peak : {std::optional<double>(), std::optional(989e12)}) {
    const std::vector<Finding> findings = check(0.46, peak);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].verdict, Verdict::kPlausible);
  }
}

}  // namespace
}  // namespace paceline
