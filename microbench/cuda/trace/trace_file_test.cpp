#include "microbench/cuda/trace/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>

#include "core/temporary_folder.h"
#include "core/text_file.h"
#include "traces/import/trace_importer.h"

namespace paceline::cuda_trace {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr std::uint64_t kEpochNs = 1'700'000'000'123'456'789;

class TraceFileOfTheInjectedLibrary : public testing::Test {
 protected:
  TemporaryFolder folder_;
  TraceFile file_;
};

// What is written is what the importer of PyTorch's profiles reads, to the nanosecond.
TEST_F(TraceFileOfTheInjectedLibrary, IsImportedWithItsCounters) {
  ASSERT_TRUE(file_.open((folder_ / "trace.json").string(), 3));
  file_.add_span("kernel", "f<\"a\\b\">", 1, 7, kEpochNs, kEpochNs + 1500, "\"device\": 1");
  file_.add_span("kernel", "ends before it starts", 1, 7, kEpochNs + 9000, kEpochNs,
                 "\"device\": 1");
  file_.add_counter(1, "dram read (B/s)", static_cast<std::int64_t>(kEpochNs) + 250, 1.9234567e12);
  file_.add_counter(1, "dram read (B/s)", static_cast<std::int64_t>(kEpochNs) + 500,
                    std::numeric_limits<double>::quiet_NaN());
  file_.add_counter(1, "sm active", static_cast<std::int64_t>(kEpochNs) + 250, 0.5);
  file_.set_devices({"NVIDIA A", "NVIDIA \"B\""});
  file_.close();
  file_.add_counter(1, "sm active", 0, 0.5);  // too late
  const MeasuredTimeline got = import_trace({folder_ / "trace.json"}, {});
  EXPECT_EQ(got.source, "kineto");
  EXPECT_THAT(got.devices, ElementsAre("NVIDIA A", "NVIDIA \"B\""));
  ASSERT_EQ(got.timeline.size(), 2u);
  EXPECT_EQ(got.timeline.at(0).label.rank, 3);
  EXPECT_EQ(got.timeline.name(got.timeline.at(0).label.name), "f<\"a\\b\">");
  EXPECT_EQ(got.timeline.at(0).duration().picoseconds(), 1'500'000);
  EXPECT_EQ(got.timeline.at(1).duration().picoseconds(), 0);
  ASSERT_THAT(got.timeline.counters(), SizeIs(2));
  const Counter& read = got.timeline.counters()[0];
  EXPECT_EQ(read.name, "gpu1/dram read");
  EXPECT_EQ(read.unit, "B/s");
  ASSERT_THAT(read.points, SizeIs(1));
  EXPECT_EQ(read.points[0].time.picoseconds(), 250'000);
  EXPECT_DOUBLE_EQ(read.points[0].value, 1.92346e12);
}

TEST_F(TraceFileOfTheInjectedLibrary, WithoutEventsIsStillAFile) {
  ASSERT_TRUE(file_.open((folder_ / "trace.json").string(), -1));
  file_.close();
  EXPECT_EQ(read_text_file(folder_ / "trace.json"),
            "{\"schemaVersion\": 1, \"traceEvents\": [\n], \"deviceProperties\": []}\n");
}

TEST_F(TraceFileOfTheInjectedLibrary, IsNamedAfterTheProcessOnRequest) {
  ASSERT_TRUE(file_.open((folder_ / "trace-%p.json").string(), -1));
  file_.close();
  EXPECT_TRUE(std::filesystem::exists(folder_ / ("trace-" + std::to_string(getpid()) + ".json")));
  EXPECT_FALSE(TraceFile().open((folder_ / "no such folder" / "trace.json").string(), -1));
}

// A child that is forked, as data loaders are, inherits the open file and must not end it.
TEST_F(TraceFileOfTheInjectedLibrary, IsNotTouchedByAForkedChild) {
  ASSERT_TRUE(file_.open((folder_ / "trace.json").string(), -1));
  file_.add_span("kernel", "parent", 0, 7, 1000, 2000, "");
  const pid_t child = fork();
  if (child == 0) {
    file_.add_span("kernel", "child", 0, 7, 1000, 2000, "");
    file_.close();
    _exit(0);
  }
  ASSERT_GT(child, 0);
  waitpid(child, nullptr, 0);
  file_.close();
  EXPECT_EQ(import_trace({folder_ / "trace.json"}, {}).timeline.size(), 1u);
}

}  // namespace
}  // namespace paceline::cuda_trace
