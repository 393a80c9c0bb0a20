#include "simulator/memory/allocator.h"

#include <gtest/gtest.h>

#include <random>

namespace paceline {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

// A tape of requests of these sizes, all alive at once.
MemoryTape alive_together(const std::vector<std::int64_t>& sizes) {
  MemoryTape tape;
  for (const std::int64_t size : sizes) tape.allocate(size, MemoryKind::kFeatureMaps);
  return tape;
}

// PyTorch's documented rules: up to 1 MiB from 2 MiB segments, below 10 MiB from 20 MiB segments,
// beyond that a segment of the size rounded to 2 MiB.
TEST(CachingAllocator, TakesSegmentsOfTheDocumentedSizes) {
  const auto reserved = [](const std::vector<std::int64_t>& sizes) {
    return replay(alive_together(sizes), *make_caching_allocator());
  };
  EXPECT_EQ(reserved({1}), 2 * kMiB);
  EXPECT_EQ(reserved({kMiB, kMiB}), 2 * kMiB);
  EXPECT_EQ(reserved({kMiB, kMiB, 1}), 4 * kMiB);
  EXPECT_EQ(reserved({kMiB + 1}), 20 * kMiB);
  EXPECT_EQ(reserved({6 * kMiB, 6 * kMiB, 6 * kMiB}), 20 * kMiB);
  EXPECT_EQ(reserved({9 * kMiB, 9 * kMiB, 9 * kMiB}), 40 * kMiB);
  EXPECT_EQ(reserved({10 * kMiB}), 10 * kMiB);
  EXPECT_EQ(reserved({11 * kMiB + 1}), 12 * kMiB);
}

// Freed neighbours join, so that a request of their common size needs no new segment; blocks of
// different segments do not.
TEST(CachingAllocator, JoinsFreeNeighboursOfOneSegmentOnly) {
  MemoryTape tape;
  const auto a = tape.allocate(8 * kMiB, MemoryKind::kFeatureMaps);
  const auto b = tape.allocate(8 * kMiB, MemoryKind::kFeatureMaps);
  tape.free(a);
  tape.free(b);
  tape.allocate(16 * kMiB, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(tape, *make_caching_allocator()), 20 * kMiB);

  MemoryTape apart;
  const auto c = apart.allocate(12 * kMiB, MemoryKind::kFeatureMaps);
  const auto d = apart.allocate(12 * kMiB, MemoryKind::kFeatureMaps);
  apart.free(c);
  apart.free(d);
  apart.allocate(24 * kMiB, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(apart, *make_caching_allocator()), 48 * kMiB);
}

// Two free segments of 12 MiB do not serve 24 MiB. With room for 48 MiB all is kept; with less they
// go back to the device first, unless part of them is in use.
TEST(CachingAllocator, GivesBackWhatNobodyUsesWhereTheDeviceHasNoMore) {
  const auto tape_with = [](std::int64_t in_use) {
    MemoryTape tape;
    const auto a = tape.allocate(12 * kMiB, MemoryKind::kFeatureMaps);
    const auto b = tape.allocate(12 * kMiB, MemoryKind::kFeatureMaps);
    tape.free(a);
    tape.free(b);
    if (in_use > 0) tape.allocate(in_use, MemoryKind::kFeatureMaps);
    tape.allocate(24 * kMiB, MemoryKind::kFeatureMaps);
    return tape;
  };
  EXPECT_EQ(replay(tape_with(0), *make_caching_allocator(48 * kMiB)), 48 * kMiB);
  EXPECT_EQ(replay(tape_with(0), *make_caching_allocator(40 * kMiB)), 24 * kMiB);
  EXPECT_EQ(replay(tape_with(2 * kMiB), *make_caching_allocator(40 * kMiB)), 36 * kMiB);
}

// A limit that is never met changes nothing; what fits into it stays below it.
TEST(CachingAllocator, StaysBelowItsLimitIfItCan) {
  std::mt19937 random(5);
  MemoryTape tape;
  std::vector<MemoryTape::BufferId> alive;
  for (int i = 0; i < 2000; ++i) {
    if (alive.size() > 20) {
      const std::size_t at = random() % alive.size();
      tape.free(alive[at]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
    }
    alive.push_back(tape.allocate(random() % (40 * kMiB), MemoryKind::kFeatureMaps));
  }
  const std::int64_t free = replay(tape, *make_caching_allocator());
  EXPECT_EQ(replay(tape, *make_caching_allocator(free)), free);
  const std::int64_t held = replay(tape, *make_caching_allocator(free - kMiB));
  EXPECT_LE(held, free - kMiB);
  EXPECT_GE(held, tape.peak().bytes);
}

// Small requests never share a segment with large ones.
TEST(CachingAllocator, KeepsSmallAndLargeApart) {
  MemoryTape tape;
  tape.free(tape.allocate(15 * kMiB, MemoryKind::kFeatureMaps));
  tape.allocate(1024, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(tape, *make_caching_allocator()), 18 * kMiB);
}

// A chunk that is less than twice the request, and less than 128 MiB larger, is given whole.
TEST(BestFitAllocator, SplitsOnlyWhatIsMuchLarger) {
  MemoryTape whole;
  const auto a = whole.allocate(100 * 256, MemoryKind::kFeatureMaps);
  whole.allocate(256, MemoryKind::kFeatureMaps);
  whole.free(a);
  whole.allocate(60 * 256, MemoryKind::kFeatureMaps);
  whole.allocate(40 * 256, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(whole, *make_best_fit_allocator()), 141 * 256);

  MemoryTape split;
  const auto b = split.allocate(100 * 256, MemoryKind::kFeatureMaps);
  split.allocate(256, MemoryKind::kFeatureMaps);
  split.free(b);
  split.allocate(50 * 256, MemoryKind::kFeatureMaps);
  split.allocate(50 * 256, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(split, *make_best_fit_allocator()), 101 * 256);
}

// A pool of multiples of 4 KiB, above 2 MiB of 2 MiB, reused by equal sizes only.
TEST(RoundingAllocator, PoolsEqualSizes) {
  MemoryTape tape;
  tape.free(tape.allocate(51380224, MemoryKind::kFeatureMaps));
  tape.allocate(51380224 - 1000, MemoryKind::kFeatureMaps);
  tape.allocate(256, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(tape, *make_rounding_allocator(4096, 2 * kMiB, true)), 50 * kMiB + 4096);
  EXPECT_EQ(replay(tape, *make_rounding_allocator(1, 0, false)), 51380224);
}

constexpr DriverUnits kDriver{
    .shared_up_to = kMiB, .granularity = 512, .chunk = 2 * kMiB, .unit = 128 * 1024};

// 25 MiB and a few bytes take one unit of 128 KiB more, not a page of 2 MiB.
TEST(DriverAllocator, GivesLargeRequestsWholeUnits) {
  MemoryTape tape;
  tape.allocate(25 * kMiB, MemoryKind::kFeatureMaps);
  tape.allocate(25 * kMiB + 32, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(tape, *make_driver_allocator(kDriver)), 50 * kMiB + 128 * 1024);
}

// 256 KiB and a few bytes: seven fit a chunk of 2 MiB, the eighth needs another.
TEST(DriverAllocator, LetsSmallRequestsShareChunks) {
  MemoryTape tape;
  for (int i = 0; i < 7; ++i) tape.allocate(256 * 1024 + 32, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(tape, *make_driver_allocator(kDriver)), 2 * kMiB);
  const auto last = tape.allocate(256 * 1024 + 32, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(tape, *make_driver_allocator(kDriver)), 4 * kMiB);
  // What the eighth leaves is taken by the next; nothing new is asked for.
  tape.free(last);
  tape.allocate(200 * 1024, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(tape, *make_driver_allocator(kDriver)), 4 * kMiB);
}

// Without units it is what was asked for.
TEST(DriverAllocator, GivesWhatIsAskedForWhereNothingIsKnown) {
  MemoryTape tape;
  tape.allocate(1234567, MemoryKind::kFeatureMaps);
  tape.allocate(1, MemoryKind::kFeatureMaps);
  EXPECT_EQ(replay(tape, *make_driver_allocator({})), 1234568);
}

class AnyAllocator : public testing::TestWithParam<int> {
 protected:
  static std::unique_ptr<Allocator> make() {
    if (GetParam() == 2) return make_driver_allocator(kDriver);
    return GetParam() == 0 ? make_caching_allocator() : make_best_fit_allocator();
  }
};

// Whatever comes and goes, an allocator holds at least what is alive, and the second time round
// needs nothing new.
TEST_P(AnyAllocator, HoldsWhatIsAliveAndReusesItsMemory) {
  std::mt19937 random(7);
  MemoryTape tape;
  std::vector<std::pair<MemoryTape::BufferId, std::int64_t>> alive;
  const auto allocator = make();
  std::int64_t bytes = 0;
  for (int step = 0; step < 3000; ++step) {
    if (alive.empty() || random() % 2 == 0) {
      const std::int64_t size =
          1 + static_cast<std::int64_t>(random() % (30 * kMiB)) / (random() % 3 == 0 ? 1 : 1000);
      const auto id = tape.allocate(size, MemoryKind::kFeatureMaps);
      allocator->allocate(id, size);
      alive.emplace_back(id, size);
      bytes += size;
    } else {
      std::swap(alive[random() % alive.size()], alive.back());
      allocator->free(alive.back().first);
      bytes -= alive.back().second;
      alive.pop_back();
    }
    ASSERT_GE(allocator->reserved(), bytes);
  }
  for (const auto& [id, size] : alive) allocator->free(id);
  const std::int64_t reserved = allocator->reserved();
  allocator->allocate(1'000'000, kMiB);
  EXPECT_EQ(allocator->reserved(), reserved);
}

INSTANTIATE_TEST_SUITE_P(All, AnyAllocator, testing::Values(0, 1, 2));

}  // namespace
}  // namespace paceline
