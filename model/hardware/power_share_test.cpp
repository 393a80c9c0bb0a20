#include "model/hardware/power_share.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

constexpr const char* kMatrix = "gpu.gemm.matrix";

double share(std::string_view name, std::string_view family = kMatrix) {
  const DeviceCatalog boards = DeviceCatalog::shipped();
  return power_share(boards.at(name), boards, family);
}

// An A100 PCIe has three quarters of the SXM board's power for the same peak: 0.75^(1/2.5).
TEST(PowerShare, OfMatrixProductsFallsSlowerThanThePower) {
  constexpr double kRoundedPeaks = 1e-3;  // an A30 has 16.02 matrix FLOP for a vector FLOP
  EXPECT_DOUBLE_EQ(share("a100-sxm-80g"), 1);
  EXPECT_NEAR(share("a100-pcie-80g"), std::pow(0.75, 0.4), kRoundedPeaks);
  EXPECT_LT(share("l4"), share("l40s"));
  EXPECT_LT(share("a10"), share("a40"));
}

// Half of the matrix rate leaves as much power as a whole board has for its vector units.
TEST(PowerShare, IsWholeOnBoardsSoldWithHalfOfTheMatrixRate) {
  EXPECT_DOUBLE_EQ(share("rtx-4090"), 1);
  EXPECT_DOUBLE_EQ(share("l40"), 1);
  EXPECT_LT(share("rtx-6000-ada"), 1);  // the same power and chip, the whole rate
}

TEST(PowerShare, HoldsBackMatrixProductsOnly) {
  for (const char* family : {"gpu.attention.forward", "gpu.convolution.vector.forward",
                             "gpu.convolution.matrix.forward", "gpu.stream.elementwise"}) {
    EXPECT_DOUBLE_EQ(share("l4", family), 1) << family;
  }
  EXPECT_LT(share("l4", "gpu.gemm.vector"), 1);
}

// Less power is never faster, and more than the most generous board has helps nothing.
TEST(PowerShare, RisesWithThePower) {
  const DeviceCatalog boards = DeviceCatalog::shipped();
  DeviceSpec board = boards.at("a10");
  for (const char* family : {kMatrix, "gpu.gemm.fp8", "gpu.gemm.vector"}) {
    double before = 0;
    for (double watts : {40, 80, 120, 160, 320, 640}) {
      board.power.value = Watts{watts};
      const double now = power_share(board, boards, family);
      EXPECT_GE(now, before) << family;
      EXPECT_LE(now, 1) << family;
      before = now;
    }
    EXPECT_EQ(before, 1) << family;
  }
}

TEST(PowerShare, BetweenBoardsOfOneChipIsTheQuotientOfTheirs) {
  const DeviceCatalog boards = DeviceCatalog::shipped();
  EXPECT_NEAR(power_share_between(boards.at("rtx-6000-ada"), boards.at("l40s"), boards, kMatrix),
              share("rtx-6000-ada") / share("l40s"), 1e-12);
}

}  // namespace
}  // namespace paceline
