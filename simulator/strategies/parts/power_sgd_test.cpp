#include "simulator/strategies/parts/power_sgd.h"

#include <gtest/gtest.h>

#include "simulator/strategies/testing/test_job.h"

namespace paceline {
namespace {

GradientTensor tensor(std::int64_t rows, std::int64_t columns) {
  const std::int64_t elements = rows * columns;
  return {.name = "w",
          .layer = 0,
          .elements = elements,
          .rows = rows,
          .bytes = Bytes(4.0 * static_cast<double>(elements))};
}

// 1000 x 500 at rank 2: P has 2000 elements and Q 1000 of 500 000; a bias of 1000 is sent as it is.
TEST(PowerSgd, SendsTwoThinMatricesForEachTensorThatShrinks) {
  const PowerSgdShares shares = power_sgd_shares({tensor(1000, 500), tensor(1000, 1)}, 2);
  const double all = 501'000;
  EXPECT_NEAR(shares.p, 2000 / all, 1e-12);
  EXPECT_NEAR(shares.q, 1000 / all, 1e-12);
  EXPECT_NEAR(shares.whole, 1000 / all, 1e-12);
  EXPECT_NEAR(shares.matrices * 4 * all, 1, 1e-9);
}

// 10 x 10 at rank 3 would be 60 elements for 100: less than half is not saved.
TEST(PowerSgd, SendsWholeWhatWouldNotShrinkToHalf) {
  EXPECT_EQ(power_sgd_shares({tensor(10, 10)}, 3).whole, 1);
  EXPECT_EQ(power_sgd_shares({tensor(10, 10)}, 2).whole, 0);
}

// Fewer bytes at a lower rank, down to a small part of all; no fewer messages.
TEST(PowerSgd, SendsFewerBytesTheLowerTheRank) {
  const TestJob job = test_job(4, 1);
  const auto sent = [&](const std::map<std::string, std::string>& set) {
    return run(job, "ddp", set).communication.bytes_per_device;
  };
  const auto whole = sent({});
  const auto rank4 = sent({{"compression", "power-sgd"}, {"rank", "4"}});
  const auto rank1 = sent({{"compression", "power-sgd"}});
  EXPECT_LT(rank1, rank4);
  EXPECT_LT(rank4, whole / 4);
}

// On a slow network it pays, on a fast one its products and start-ups cost more than they save.
TEST(PowerSgd, PaysOnSlowNetworksOnly) {
  const std::map<std::string, std::string> compressed{{"compression", "power-sgd"}};
  const TestJob slow = test_job(4, 1, "1 Gb/s@30us");
  EXPECT_LT(run(slow, "ddp", compressed).iteration_time, run(slow, "ddp").iteration_time);
  const TestJob fast = test_job(4, 1, "800 Gb/s@5us");
  EXPECT_GT(run(fast, "ddp", compressed).iteration_time, run(fast, "ddp").iteration_time);
}

// A compressor whose time on one device is known: where nothing overlaps, so much longer and no
// more, shared out among its passes.
TEST(MessageReducer, SpendsTheMeasuredTimeOfACompressor) {
  const TestJob job = test_job(2, 1);
  for (const char* compression : {"fp16", "power-sgd"}) {
    const auto time = [&](const char* measured) {
      const auto result =
          run(job, "bsp", {{"compression", compression}, {"compression_time", measured}});
      return result.iteration_time.si();
    };
    EXPECT_NEAR(time("30 ms") - time("10 ms"), 0.020, 1e-9) << compression;
  }
}

}  // namespace
}  // namespace paceline
