// Counters in traces: read with every oddity, kept in the timeline file, drawn by the export.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/error.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"
#include "traces/export/chrome_trace.h"
#include "traces/import/trace_importer.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// A kernel from 10 to 14 us on device 0, whose process number in the trace is 0.
constexpr char kKernel[] =
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":4,"args":{"device":0}})";

class TraceCounters : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) {
    write_text_file(folder_ / name, text);
    return folder_ / name;
  }
  // A trace of the kernel and these events.
  MeasuredTimeline import(const std::string& events, const std::string& head = "") {
    return import_trace(
        {write("trace.json", R"({"schemaVersion":1,)" + head + R"("traceEvents":[)" + kKernel +
                                 "," + events + "]}")},
        {});
  }
  TemporaryFolder folder_;
};

std::string counter(const std::string& name, const std::string& ts, const std::string& arguments,
                    const std::string& pid = "0") {
  return R"({"ph":"C","cat":"gpu_counter","name":")" + name + R"(","pid":)" + pid +
         ",\"ts\":" + ts + ",\"args\":{" + arguments + "}}";
}

auto at(std::int64_t picoseconds, double value) {
  return AllOf(Field(&Counter::Point::time, SimTime::from_picoseconds(picoseconds)),
               Field(&Counter::Point::value, value));
}

TEST_F(TraceCounters, BelongToTheDeviceAndHaveTheUnitInBrackets) {
  const MeasuredTimeline got = import(counter("dram read (B/s)", "11.5", R"("value":1.5e12)") +
                                      "," + counter("dram read (B/s)", "12.5", R"("value":0)") +
                                      "," + counter("sm active", "11.5", R"("value":0.25)"));
  EXPECT_THAT(got.warnings, Not(Contains(HasSubstr("left out"))));
  ASSERT_THAT(got.timeline.counters(), SizeIs(2));
  const Counter& read = got.timeline.counters()[0];
  EXPECT_EQ(read.name, "gpu0/dram read");
  EXPECT_EQ(read.unit, "B/s");
  EXPECT_THAT(read.points, ElementsAre(at(1'500'000, 1.5e12), at(2'500'000, 0)));
  EXPECT_EQ(got.timeline.counters()[1].unit, "");
}

// A device that ran nothing, and a counter of the host's process.
TEST_F(TraceCounters, OfIdleDevicesAndOfTheHostAreToldApart) {
  const MeasuredTimeline got =
      import(counter("sm active", "11", "\"value\":0", "3") + "," +
             R"({"ph":"C","name":"memory","pid":4711,"ts":11,"args":{"value":7}})");
  ASSERT_THAT(got.timeline.counters(), SizeIs(2));
  EXPECT_EQ(got.timeline.counters()[0].name, "gpu3/sm active");
  EXPECT_EQ(got.timeline.counters()[1].name, "cpu/memory");
}

TEST_F(TraceCounters, HaveOneSeriesForEachArgument) {
  const MeasuredTimeline got =
      import(counter("queue", "11", R"("stream 7":2,"stream 20":5,"queue":7)"));
  ASSERT_THAT(got.timeline.counters(), SizeIs(3));
  EXPECT_EQ(got.timeline.counters()[0].name, "gpu0/queue stream 7");
  EXPECT_EQ(got.timeline.counters()[1].name, "gpu0/queue stream 20");
  EXPECT_EQ(got.timeline.counters()[2].name, "gpu0/queue");
}

TEST_F(TraceCounters, ReadNumbersThatAreTextsAndAnyOrder) {
  const MeasuredTimeline got =
      import(counter("x", "\"13\"", R"("value":"3e3")") + "," + counter("x", "11", "\"value\":1") +
             "," + counter("x", "12", "\"value\":\"2\""));
  ASSERT_THAT(got.timeline.counters(), SizeIs(1));
  EXPECT_THAT(got.timeline.counters()[0].points,
              ElementsAre(at(1'000'000, 1), at(2'000'000, 2), at(3'000'000, 3000)));
}

// What holds when the first event begins is kept as the value at that time; of two values at one
// time the last counts.
TEST_F(TraceCounters, BeginWithTheFirstEvent) {
  const MeasuredTimeline got =
      import(counter("x", "1", "\"value\":1") + "," + counter("x", "9", "\"value\":2") + "," +
             counter("x", "12", "\"value\":3") + "," + counter("x", "12", "\"value\":4"));
  EXPECT_THAT(got.timeline.counters()[0].points, ElementsAre(at(0, 2), at(2'000'000, 4)));
}

TEST_F(TraceCounters, WithoutTimeArgumentsOrAFiniteNumberAreLeftOutAndCounted) {
  const MeasuredTimeline got = import(
      counter("x", "11", "\"value\":1") + "," + counter("x", "\"soon\"", "\"value\":1") + "," +
      R"({"ph":"C","name":"x","pid":0,"ts":11},)" + counter("x", "11", "") + "," +
      counter("x", "11", R"("value":"NaN")") + "," + counter("x", "11", R"("value":"Infinity")") +
      "," + counter("x", "11", "\"value\":1e999") + "," + counter("x", "11", "\"value\":null") +
      "," + counter("x", "11", "\"value\":[1]") + "," + counter("x", "11", "\"value\":true"));
  EXPECT_THAT(got.warnings, Contains(HasSubstr("9 samples of counters have no time or no finite")));
  ASSERT_THAT(got.timeline.counters(), SizeIs(1));
  EXPECT_THAT(got.timeline.counters()[0].points, ElementsAre(at(1'000'000, 1)));
}

// A bare NaN is no JSON: that event is lost, the others are not.
TEST_F(TraceCounters, ABareNanCostsItsEventOnly) {
  const MeasuredTimeline got =
      import(counter("x", "11", "\"value\":NaN") + "," + counter("x", "12", "\"value\":5"));
  ASSERT_THAT(got.timeline.counters(), SizeIs(1));
  EXPECT_THAT(got.timeline.counters()[0].points, ElementsAre(at(2'000'000, 5)));
  EXPECT_THAT(got.warnings, Contains(HasSubstr("1 events cannot be read and are left out")));
}

TEST_F(TraceCounters, FurtherAheadThanATimelineReachesAreLeftOut) {
  const MeasuredTimeline got = import(counter("x", "1700000000123456", "\"value\":1"));
  EXPECT_THAT(got.timeline.counters(), IsEmpty());
  EXPECT_THAT(got.warnings, Contains(HasSubstr("1 samples of counters lie more than 106 days")));
}

TEST_F(TraceCounters, OfSeveralRanksAreToldApart) {
  const auto trace = [&](int rank) {
    const std::string number = std::to_string(rank);
    return write("rank" + number + ".json", R"({"schemaVersion":1,"distributedInfo":{"rank":)" +
                                                number + R"(},"traceEvents":[)" + kKernel + "," +
                                                counter("x", "11", "\"value\":" + number) + "]}");
  };
  const MeasuredTimeline got = import_trace({trace(0), trace(1)}, {});
  ASSERT_THAT(got.timeline.counters(), SizeIs(2));
  EXPECT_EQ(got.timeline.counters()[0].name, "rank0 gpu0/x");
  EXPECT_EQ(got.timeline.counters()[1].name, "rank1 gpu0/x");
}

// Nanoseconds since 1970, as profilers write them.
constexpr char kEpoch[] = "1700000000123456";

TEST_F(TraceCounters, SurviveTheTimelineFile) {
  const std::string t = kEpoch;
  const MeasuredTimeline imported = import_trace(
      {write("trace.json", R"({"schemaVersion":1,"traceEvents":[
          {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" +
                               t + R"(.001,"dur":4},)" +
                               counter("dram read (B/s)", t + ".250", "\"value\":0.1") + "," +
                               counter("dram read (B/s)", t + ".500", "\"value\":3.3e11") + "]}")},
      {});
  ASSERT_THAT(imported.timeline.counters(), SizeIs(1));
  EXPECT_THAT(imported.timeline.counters()[0].points,
              ElementsAre(at(249'000, 0.1), at(499'000, 3.3e11)));
  write_timeline(folder_ / "timeline.json", imported);
  EXPECT_EQ(read_timeline(folder_ / "timeline.json").timeline, imported.timeline);
}

TEST_F(TraceCounters, AppearInTheExportAndComeBackFromIt) {
  const MeasuredTimeline imported = import(counter("dram read (B/s)", "10", R"("value":1e12)") +
                                           "," + counter("dram read (B/s)", "12.5", "\"value\":0"));
  std::ostringstream text;
  write_chrome_trace(imported.timeline, text);
  EXPECT_THAT(text.str(),
              HasSubstr(R"-("ts":2.500,"name":"dram read (B/s)","args":{"value":0.0}})-"));
  const MeasuredTimeline again = import_trace({write("export.json", text.str())}, {});
  EXPECT_EQ(again.source, "chrome");
  ASSERT_THAT(again.timeline.counters(), SizeIs(1));
  EXPECT_EQ(again.timeline.counters()[0], imported.timeline.counters()[0]);
}

}  // namespace
}  // namespace paceline
