#include "core/units.h"

#include <gtest/gtest.h>

namespace paceline {
namespace {

template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};

TEST(Units, ProductsAndRatiosHaveTheirOwnDimension) {
  static_assert(std::is_same_v<decltype(Bytes(1) / Seconds(1)), BytesPerSecond>);
  static_assert(std::is_same_v<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
  static_assert(std::is_same_v<decltype(Bytes(1) / Bytes(1)), double>);
  static_assert(std::is_same_v<decltype(1.0 / Seconds(1)), Hertz>);
  EXPECT_DOUBLE_EQ((Bytes(100) / BytesPerSecond(50)).si(), 2.0);
}

TEST(Units, DifferentDimensionsDoNotAdd) {
  static_assert(Addable<Seconds, Seconds>);
  static_assert(!Addable<Seconds, Bytes>);
  static_assert(!Addable<Seconds, double>);
}

TEST(Units, ScalesAndCompares) {
  EXPECT_GT(Seconds(2), Seconds(1));
  EXPECT_DOUBLE_EQ((2.0 * Seconds(3) - Seconds(1)).si(), 5.0);
}

}  // namespace
}  // namespace paceline
