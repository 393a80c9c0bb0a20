// The sampler against a GPU that is made up (fake_cupti.h).
#include "microbench/cuda/trace/counter_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "core/temporary_folder.h"
#include "microbench/cuda/trace/fake_cupti.h"
#include "traces/import/trace_importer.h"

namespace paceline::cuda_trace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

class Sampler : public testing::Test {
 protected:
  Sampler() { reset_fake_gpu(); }

  // Samples device 2 until so many samples were handed out, or it gives up; what the trace then
  // holds beside one kernel, which begins with the sampling.
  void run(const std::string& counters, int samples) {
    TraceFile file;
    ASSERT_TRUE(file.open((folder_ / "trace.json").string(), -1));
    file.add_span("kernel", "k", 2, 7, now_ns(), now_ns() + 1000, "\"device\": 2");
    CounterSettings settings;
    settings.requests = parse_counters(counters);
    testing::internal::CaptureStderr();
    {
      CounterSampler sampler(2, settings, file);
      const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (fake_gpu().given < samples && std::chrono::steady_clock::now() < patience) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    errors_ = testing::internal::GetCapturedStderr();
    file.close();
    got_ = import_trace({folder_ / "trace.json"}, {});
    EXPECT_EQ(fake_gpu().sessions, 0) << "what was switched on is switched off";
  }

  TemporaryFolder folder_;
  std::string errors_;
  MeasuredTimeline got_;
};

// Every sample differs from the one before it, so each is a point: none is lost, none written
// twice, though an image holds only seven, and the time between them is the period.
TEST_F(Sampler, WritesEverySampleOnceInOrder) {
  fake_gpu().samples_per_image = 7;
  run("dram-read", 400);
  EXPECT_THAT(errors_, Not(HasSubstr("no counters")));
  ASSERT_THAT(got_.timeline.counters(), SizeIs(1));
  const Counter& read = got_.timeline.counters()[0];
  EXPECT_EQ(read.name, "gpu2/dram read");
  EXPECT_EQ(read.unit, "B/s");
  ASSERT_EQ(read.points.size(), static_cast<std::size_t>(fake_gpu().given));
  for (std::size_t i = 0; i < read.points.size(); ++i) {
    // 50 kB and i bytes in 100 us.
    EXPECT_NEAR(read.points[i].value, 5e8 + 1e4 * static_cast<double>(i), 1e3);
    if (i == 0) continue;
    EXPECT_EQ((read.points[i].time - read.points[i - 1].time).picoseconds(), 100'000'000);
  }
  EXPECT_TRUE(fake_gpu().by_time);
  EXPECT_EQ(fake_gpu().interval, 100'000u);
}

// The same run, but the GPU's clock is an hour ahead: the samples lie where they would without
// that, as far as reading them late allows to tell.
TEST_F(Sampler, PlacesSamplesOfAnotherClockOnThatOfTheKernels) {
  fake_gpu().clock_ahead_ns = 3'600'000'000'000;
  run("dram-read", 2000);
  ASSERT_THAT(got_.timeline.counters(), SizeIs(1));
  const Counter& read = got_.timeline.counters()[0];
  ASSERT_THAT(read.points, Not(IsEmpty()));
  EXPECT_LT(read.points.front().time.picoseconds(), 60'000'000'000'000) << "not an hour late";
}

TEST_F(Sampler, RepeatsNoValueThatHolds) {
  run("sm-active", 50);
  const std::size_t each = got_.timeline.counters()[0].points.size();
  EXPECT_EQ(each, static_cast<std::size_t>(fake_gpu().given));
  reset_fake_gpu();
  fake_gpu().value_of_sum = 1e30;  // what a sample adds does not show
  run("sm-active", 50);
  EXPECT_THAT(got_.timeline.counters()[0].points, SizeIs(1));
}

TEST_F(Sampler, WithoutPermissionSaysHowToGetItInOneLine) {
  fake_gpu().enable = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  run("default", 0);
  EXPECT_THAT(errors_, HasSubstr("no counters of GPU 2: sampling of counters: "
                                 "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"));
  EXPECT_THAT(errors_, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_EQ(std::count(errors_.begin(), errors_.end(), '\n'), 1);
  EXPECT_THAT(got_.timeline.counters(), IsEmpty());
  EXPECT_EQ(got_.timeline.size(), 1u) << "the trace goes on";
}

TEST_F(Sampler, NamesWhatTheChipLacksInOneLineAndSamplesTheRest) {
  fake_gpu().missing = {"nvlrx__bytes.sum", "nvltx__bytes.sum"};
  run("default", 20);
  EXPECT_THAT(errors_,
              HasSubstr("paceline trace: GH100 does not sample nvlink-receive: the chip has "
                        "no such counter; nvlink-transmit: the chip has no such counter\n"));
  EXPECT_THAT(got_.timeline.counters(), SizeIs(7));
}

TEST_F(Sampler, KeepsWhatItHasWhenSamplesAreLost) {
  fake_gpu().overflow_after = 100;
  run("dram-read", 101);
  EXPECT_THAT(errors_, HasSubstr("no counters of GPU 2 from here on: samples were lost"));
  ASSERT_THAT(got_.timeline.counters(), SizeIs(1));
  EXPECT_THAT(got_.timeline.counters()[0].points, Not(IsEmpty()));
}

// Their trigger counts cycles of a clock, which the driver would have to say; here is none.
TEST_F(Sampler, OfChipsWithoutATimeTriggerNeedsTheClock) {
  fake_gpu().chip = "GA100";
  run("default", 0);
  EXPECT_THAT(errors_, HasSubstr("no counters of GPU 2: clock of the GPU"));
}

}  // namespace
}  // namespace paceline::cuda_trace
