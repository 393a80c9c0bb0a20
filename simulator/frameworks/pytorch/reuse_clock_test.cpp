#include "simulator/frameworks/pytorch/reuse_clock.h"

#include <gtest/gtest.h>

namespace paceline::pytorch {
namespace {

Operand activation(std::uint64_t id, double bytes) {
  return {Operand::Kind::kActivation, id, Bytes(bytes)};
}

TEST(ReuseClock, WhatWasJustTouchedIsNear) {
  ReuseClock clock;
  clock.touch({activation(1, 1e6)}, Bytes(1e6));
  EXPECT_EQ(clock.touch({activation(1, 1e6)}, Bytes(1e6)).far_share, 0);
}

TEST(ReuseClock, WhatWasNeverSeenIsNotCounted) {
  ReuseClock clock;
  EXPECT_EQ(clock.touch({activation(1, 1e6)}, Bytes(1e6)).far_share, 0);
}

// 64 MB pass between the two uses of a tensor that makes up half of a kernel's traffic.
TEST(ReuseClock, CountsTheBytesTouchedSince) {
  ReuseClock clock;
  clock.touch({activation(1, 1e6)}, Bytes(1e6));
  clock.touch({activation(2, 64e6)}, Bytes(0x1p26));
  const Reuse reuse = clock.touch({activation(1, 1e6)}, Bytes(2e6));
  EXPECT_EQ(reuse.far_share, 0.5);
  EXPECT_EQ(reuse.distance.si(), 0x1p26);
}

TEST(ReuseClock, AnAliasIsAsFreshAsWhatItStandsFor) {
  ReuseClock clock;
  clock.touch({activation(1, 1e6)}, Bytes(1e6));
  clock.touch({}, Bytes(1e8));
  clock.touch({activation(2, 1e6)}, Bytes(1e6));
  clock.alias(activation(2, 1e6), activation(1, 1e6));
  EXPECT_EQ(clock.touch({activation(1, 1e6)}, Bytes(1e6)).far_share, 0);
}

}  // namespace
}  // namespace paceline::pytorch
