#include "microbench/harness/operand_sets.h"

#include <gtest/gtest.h>

#include <set>

#include "core/error.h"

namespace paceline {
namespace {

constexpr std::size_t kCache = 1 << 20;

class OperandSetsTest : public testing::Test {
 protected:
  Workspace workspace_{Bytes(8 << 20), Bytes(static_cast<double>(kCache))};
};

TEST_F(OperandSetsTest, WarmOperandsAreAlwaysTheSame) {
  OperandSets sets(workspace_, {4000}, {4000}, CacheState::kWarm);
  EXPECT_EQ(sets.count(), 1u);
  EXPECT_EQ(sets.next(), 0u);
  EXPECT_EQ(sets.next(), 0u);
}

// Between two uses of a set all others are touched: more than twice the cache.
TEST_F(OperandSetsTest, ColdOperandsReturnAfterTwiceTheCache) {
  const std::size_t bytes = 40'000;
  OperandSets sets(workspace_, {bytes}, {bytes}, CacheState::kCold);
  EXPECT_GE((sets.count() - 1) * 2 * bytes, 2 * kCache - 2 * bytes);
  std::set<std::size_t> visited;
  for (std::size_t i = 0; i < sets.count(); ++i) visited.insert(sets.next());
  EXPECT_EQ(visited.size(), sets.count());
}

// A prefetcher that runs ahead must not find the next operands.
TEST_F(OperandSetsTest, ColdOperandsNeverFollowOneAnother) {
  OperandSets sets(workspace_, {40'000}, {}, CacheState::kCold);
  ASSERT_GT(sets.count(), 4u);
  std::size_t last = sets.next();
  for (std::size_t i = 0; i < 2 * sets.count(); ++i) {
    const std::size_t next = sets.next();
    EXPECT_NE(next, last + 1);
    last = next;
  }
}

TEST_F(OperandSetsTest, OperandsOfAllSetsLieApart) {
  OperandSets sets(workspace_, {100, 5000}, {300, 100}, CacheState::kCold);
  for (std::size_t set = 0; set + 1 < sets.count(); ++set) {
    EXPECT_GE(sets.input(1, set), sets.input(0, set) + 25);
    EXPECT_GE(sets.input(0, set + 1), sets.input(1, set) + 1250);
    EXPECT_GE(sets.output(1, set), sets.output(0, set) + 75);
    EXPECT_GE(sets.output(0, set + 1), sets.output(1, set) + 25);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(sets.input(1, set)) % 64, 0u);
  }
  const std::span<float> region = workspace_.outputs();
  EXPECT_LE(sets.output(1, sets.count() - 1) + 25, region.data() + region.size());
}

TEST_F(OperandSetsTest, InPlaceOperandsStartFromRandomValues) {
  OperandSets sets(workspace_, {}, {40'000}, CacheState::kCold);
  for (std::size_t set = 0; set < sets.count(); ++set) sets.output(0, set)[7] = 0;
  sets.fill_output(0);
  for (std::size_t set = 0; set < sets.count(); ++set) {
    EXPECT_EQ(sets.output(0, set)[7], workspace_.inputs()[7]);
    EXPECT_NE(sets.output(0, set)[7], 0);
  }
}

TEST_F(OperandSetsTest, RefusesWhatDoesNotFit) {
  EXPECT_THROW(OperandSets(workspace_, {9 << 20}, {}, CacheState::kWarm), MeasurementError);
}

TEST_F(OperandSetsTest, StateIsAnAxis) {
  EXPECT_EQ(cache_state({{"cache", std::string("cold")}}), CacheState::kCold);
  EXPECT_EQ(cache_state({{"cache", to_string(CacheState::kWarm)}}), CacheState::kWarm);
  EXPECT_THROW(cache_state({{"cache", std::string("tepid")}}), InputError);
}

TEST_F(OperandSetsTest, InputsAreNormallyDistributed) {
  workspace_.prepare(8 << 20);
  double sum = 0, squares = 0;
  for (const float value : workspace_.inputs()) {
    sum += double{value};
    squares += double{value} * double{value};
  }
  const double count = static_cast<double>(workspace_.inputs().size());
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1, 0.01);
}

}  // namespace
}  // namespace paceline
