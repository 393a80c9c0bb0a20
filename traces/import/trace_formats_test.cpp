// Chrome traces, Nsight Systems exports and nvprof output, each a small file made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <sstream>

#include "core/error.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"
#include "traces/export/chrome_trace.h"
#include "traces/import/trace_importer.h"

namespace paceline {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class TraceFormats : public testing::Test {
 protected:
  MeasuredTimeline import(const std::string& text, const std::string& kind = "") {
    write_text_file(folder_ / "trace", text);
    return import_trace({folder_ / "trace"}, {}, kind);
  }
  std::string error_of(const std::string& text, const std::string& kind = "") {
    try {
      import(text, kind);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(TraceFormats, AreRecognisedAndOthersRefused) {
  EXPECT_THAT(error_of("hello"), HasSubstr("none of the traces that can be imported: chrome, "));
  EXPECT_THAT(error_of("[]", "kinetto"), HasSubstr("did you mean kineto"));
}

// read(write(x)) == x, to the picosecond.
TEST_F(TraceFormats, AChromeTraceOfOursComesBackAsItWas) {
  Timeline timeline;
  const TrackId compute = timeline.add_track("gpu0/compute");
  const TrackId link = timeline.add_track("link/up");
  const auto add = [&](TrackId track, std::int64_t from, std::int64_t to, const char* name,
                       SpanKind kind) {
    Span span;
    span.start = SimTime::from_picoseconds(from);
    span.end = SimTime::from_picoseconds(to);
    span.track = track;
    span.label = {
        .name = timeline.add_name(name), .rank = 0, .layer = -1, .iteration = 3, .kind = kind};
    timeline.add(span);
  };
  add(compute, 0, 2'000'123, "conv", SpanKind::kForward);
  add(compute, 2'000'123, 5'000'000, "conv", SpanKind::kBackward);
  add(link, 3'000'000, 9'000'001, "all-reduce", SpanKind::kCommunicate);
  std::ostringstream text;
  write_chrome_trace(timeline, text);
  const MeasuredTimeline got = import(text.str());
  EXPECT_EQ(got.source, "chrome");
  EXPECT_EQ(got.timeline, timeline);
}

TEST_F(TraceFormats, ChromeTracesMayUseBeginsAndEnds) {
  const MeasuredTimeline got = import(R"([
      {"ph":"M","name":"process_name","pid":1,"args":{"name":"server"}},
      {"ph":"B","name":"outer","pid":1,"tid":2,"ts":10},{"ph":"B","name":"inner","pid":1,"tid":2,"ts":11},
      {"ph":"E","pid":1,"tid":2,"ts":12},{"ph":"E","pid":1,"tid":2,"ts":20},
      {"ph":"E","pid":1,"tid":3,"ts":20},{"ph":"X","name":"x","pid":1,"tid":2,"ts":21,"dur":-1},
      {"ph":"X","name":"no time","pid":1,"tid":2,"ts":"soon","dur":1})");
  ASSERT_EQ(got.timeline.size(), 3u);
  EXPECT_EQ(got.timeline.name(got.timeline.at(0).label.name), "inner");
  EXPECT_EQ(got.timeline.at(1).duration().picoseconds(), 10'000'000);
  EXPECT_EQ(got.timeline.track_name(got.timeline.at(0).track), "server/thread 2");
  EXPECT_THAT(got.warnings, ElementsAre(HasSubstr("1 events have a negative"),
                                        HasSubstr("1 events have no readable time"),
                                        HasSubstr("1 events begin without an end"),
                                        HasSubstr("ends inside its list")));
}

// Microseconds since 1970, as picoseconds, are more than 64 bits hold.
TEST_F(TraceFormats, ChromeTracesMayCountFromTheEpoch) {
  const MeasuredTimeline got =
      import(R"([{"ph":"X","name":"a","pid":1,"tid":2,"ts":1700000000123456.5,"dur":1},
      {"ph":"B","name":"b","pid":1,"tid":2,"ts":1700000000123458},{"ph":"E","pid":1,"tid":2,"ts":1700000000123461}])");
  ASSERT_EQ(got.timeline.size(), 2u);
  EXPECT_EQ(got.timeline.at(1).start.picoseconds(), 1'500'000);
  EXPECT_EQ(got.timeline.at(1).duration().picoseconds(), 3'000'000);
  EXPECT_THAT(error_of(R"([{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":1},
      {"ph":"X","name":"a","pid":1,"tid":2,"ts":1700000000123456,"dur":1}])"),
              HasSubstr("events lie further apart than a timeline holds"));
}

class Nsys : public TraceFormats {
 protected:
  MeasuredTimeline import_sql(const std::string& statements) {
    const fs::path file = folder_ / "report.sqlite";
    fs::remove(file);
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << message;
    sqlite3_close(database);
    return import_trace({file}, {});
  }
};

constexpr char kStrings[] =
    "CREATE TABLE StringIds(id INTEGER, value TEXT);"
    "INSERT INTO StringIds VALUES (1,'cudaLaunchKernel'),(2,'sgemm(float*)'),(3,'iteration 0');";
constexpr char kKernels[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, demangledName INT, shortName INT,"
    " correlationId INT, deviceId INT, streamId INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2000, 2500, 2, 2, 77, 0, 7);";
constexpr char kRuntime[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, nameId INT, correlationId INT,"
    " globalTid INT);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1500, 1600, 1, 77, 281474976711000);";
constexpr char kRanges[] =
    "CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, textId INT, globalTid "
    "INT);"
    "INSERT INTO NVTX_EVENTS VALUES (1000, 9000, 59, NULL, 3, 281474976711000),"
    "(1400, 1700, 59, 'aten::linear, seq = 4, sizes = [[8, 16]]', NULL, 281474976711000),"
    "(1400, NULL, 34, 'a mark', NULL, 281474976711000);";

TEST_F(Nsys, ReadsKernelsCallsAndRanges) {
  const MeasuredTimeline got = import_sql(std::string(kStrings) + kKernels + kRuntime + kRanges +
                                          "CREATE TABLE TARGET_INFO_GPU(id INT, name TEXT);"
                                          "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100');");
  EXPECT_EQ(got.source, "nsys");
  EXPECT_THAT(got.devices, ElementsAre("NVIDIA H100"));
  EXPECT_THAT(got.iterations_s, ElementsAre(testing::DoubleEq(8e-6)));
  ASSERT_THAT(got.layers, SizeIs(1));
  EXPECT_EQ(got.layers[0].operation, "aten::linear");
  EXPECT_EQ(got.layers[0].shape, "[[8, 16]]");
  EXPECT_DOUBLE_EQ(layer_times(got).at(0).forward.si(), 500e-9);
}

// A table that would be empty does not exist.
TEST_F(Nsys, DoesWithoutTheTablesThatARunDidNotFill) {
  const MeasuredTimeline got = import_sql(std::string(kStrings) + kKernels);
  EXPECT_EQ(got.timeline.size(), 1u);
  EXPECT_THAT(got.warnings, Contains(HasSubstr("no launch on record")));
  const MeasuredTimeline ended_early = import_sql(
      std::string(kStrings) +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT, copyKind INT, correlationId INT,"
      " deviceId INT, streamId INT); INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (5, 3, 1, 0, 0, "
      "7);");
  EXPECT_EQ(ended_early.timeline.at(0).label.kind, SpanKind::kHostToDevice);
  EXPECT_THAT(ended_early.warnings, Contains(HasSubstr("1 events have a negative duration")));
}

TEST_F(Nsys, RefusesOtherDatabasesAndDamagedOnes) {
  EXPECT_THROW(import_sql("CREATE TABLE birds(name TEXT);"), InputError);
  EXPECT_THAT(error_of("SQLite format 3\1garbage"), HasSubstr("trace: "));
}

constexpr char kNvprofCsv[] =
    "==42== NVPROF is profiling process 42, command: ./train\n"
    "==42== Profiling result:\n"
    "\"Start\",\"Duration\",\"Size\",\"Throughput\",\"Device\",\"Context\",\"Stream\",\"Name\","
    "\"Correlation_ID\"\n"
    "ms,us,KB,GB/s,,,,,\n"
    "1.000000,3.5,,,,,,\"cudaLaunchKernel (sgemm [5])\",5\n"
    "1.250000,12.25,,,\"Tesla V100-SXM2-16GB (1)\",\"1\",\"7\",\"void f<int, float>(x)\",5\n"
    "2.000000,1.5,4.0,2.7,\"Tesla V100-SXM2-16GB (1)\",\"1\",\"7\",\"[CUDA memcpy HtoD]\",6\n";

TEST_F(TraceFormats, NvprofsCsvHasUnitsInItsSecondLine) {
  const MeasuredTimeline got = import(kNvprofCsv);
  EXPECT_EQ(got.source, "nvprof");
  EXPECT_THAT(got.devices, ElementsAre("unknown GPU", "Tesla V100-SXM2-16GB"));
  ASSERT_EQ(got.timeline.size(), 3u);
  EXPECT_EQ(got.timeline.at(1).start.picoseconds(), 250'000'000);
  EXPECT_EQ(got.timeline.at(1).duration().picoseconds(), 12'250'000);
  EXPECT_EQ(got.timeline.name(got.timeline.at(1).label.name), "void f<int, float>(x)");
  EXPECT_EQ(got.timeline.at(1).cause, SpanId{0});
  EXPECT_EQ(got.timeline.track_name(got.timeline.at(2).track), "gpu1/stream 7");
  EXPECT_EQ(got.timeline.at(2).label.kind, SpanKind::kHostToDevice);
}

constexpr char kNvprofText[] =
    "==7== NVPROF is profiling process 7, command: ./train\n"
    "   Start  Duration     Grid Size      Size          Device   Context    Stream  Name\n"
    "214.02ms  1.2160us             -      112B  Tesla V100 (0)         1         7  [CUDA memcpy "
    "DtoH]\n"
    " 1.5000s  2.0000ms      (80 1 1)         -  Tesla V100 (0)         1        13  "
    "sgemm_nt(float*, int) [12]\n"
    "\n"
    "Regs: Number of registers used per CUDA thread.\n";

TEST_F(TraceFormats, NvprofsTextHasColumnsThatEndWithTheirHeadings) {
  const MeasuredTimeline got = import(kNvprofText);
  ASSERT_EQ(got.timeline.size(), 2u);
  EXPECT_THAT(got.devices, ElementsAre("Tesla V100"));
  EXPECT_EQ(got.timeline.at(1).start.picoseconds(), 1'285'980'000'000);
  EXPECT_EQ(got.timeline.at(1).duration().picoseconds(), 2'000'000'000);
  EXPECT_EQ(got.timeline.track_name(got.timeline.at(1).track), "gpu0/stream 13");
  EXPECT_EQ(got.timeline.name(got.timeline.at(1).label.name), "sgemm_nt(float*, int)");
}

TEST_F(TraceFormats, NvprofsSummaryIsRefusedWithTheFlagThatHelps) {
  EXPECT_THAT(
      error_of("==7== NVPROF is profiling process 7\n            Type  Time(%)      Time     "
               "Calls       Avg  Name\n GPU activities:   58.2%  3.1ms  12  258us  sgemm\n"),
      HasSubstr("run nvprof --print-gpu-trace"));
  EXPECT_THAT(error_of("NVPROF is profiling\n  Start  Duration  Name\n 5.0xx  1us  k\n"),
              HasSubstr("trace:3: expected a time"));
}

}  // namespace
}  // namespace paceline
