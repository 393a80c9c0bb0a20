#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include "core/error.h"
#include "core/json_reader.h"
#include "core/json_writer.h"

#include "core/temporary_folder.h"
#include "traces/recording/from_timeline.h"
#include "traces/timeline/measured_timeline.h"

namespace paceline {
namespace {

using testing::HasSubstr;

MeasuredTimeline example() {
  MeasuredTimeline out;
  out.provenance = make_provenance("test", {});
  out.source = "kineto";
  out.devices = {"H100"};
  out.layers = {{"aten::conv2d", "Conv2d_0", "[[8,3]]"}, {"aten::relu", "", ""}};
  out.iterations_s = {0.25, 0.5};
  out.warnings = {"a warning"};
  const TrackId track = out.timeline.add_track("gpu0/stream 7");
  const NameId name = out.timeline.add_name("kernel \"quoted\"");
  Span span;
  span.start = SimTime::from_picoseconds(1'000'000'000'007);
  span.end = SimTime::from_picoseconds(1'000'000'000'010);
  span.track = track;
  span.label = {.name = name, .rank = 2, .layer = 1, .iteration = -1, .kind = SpanKind::kBackward};
  const SpanId first = out.timeline.add(span);
  span.cause = first;
  out.timeline.add(span);
  out.timeline.add_counter({"gpu0/dram read",
                            "B/s",
                            {{SimTime::from_picoseconds(3), 0.1},
                             {SimTime::from_picoseconds(1'000'000'000'007), 3.35e12}}});
  out.timeline.add_counter({"gpu0/\"idle\"", "", {}});
  return out;
}

class TimelineFile : public testing::Test {
 protected:
  TimelineFile() { write_timeline(file_, example()); }

  std::string error_with(const std::string& from, const std::string& to) {
    std::string text = read_text_file(file_);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_text_file(file_, text.replace(at, from.size(), to));
    try {
      read_timeline(file_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "timeline.json";
};

TEST_F(TimelineFile, IsReadAsItWasWritten) {
  const MeasuredTimeline expected = example();
  const MeasuredTimeline got = read_timeline(file_);
  EXPECT_EQ(got.timeline, expected.timeline);
  EXPECT_EQ(got.layers, expected.layers);
  EXPECT_EQ(got.iterations_s, expected.iterations_s);
  EXPECT_EQ(got.devices, expected.devices);
  EXPECT_EQ(got.warnings, expected.warnings);
  EXPECT_EQ(got.source, "kineto");
}

TEST_F(TimelineFile, RefusesSpansOutsideTheirLists) {
  EXPECT_THAT(error_with("\"track\": [0,0]", "\"track\": [0,1]"),
              HasSubstr("track: 1 is outside 0 to 0"));
  write_timeline(file_, example());
  EXPECT_THAT(error_with("\"layer\": [1,1]", "\"layer\": [1]"), HasSubstr("has 1 values"));
  write_timeline(file_, example());
  EXPECT_THAT(error_with("\"duration_ps\": [3,3]", "\"duration_ps\": [3,-3]"),
              HasSubstr("duration_ps: -3"));
  write_timeline(file_, example());
  EXPECT_THAT(error_with("\"source\"", "\"sauce\""), HasSubstr("source"));
}

TEST_F(TimelineFile, RefusesCountersThatMakeNoSense) {
  EXPECT_THAT(error_with("\"value\": [0.1,3.35e+12]", "\"value\": [0.1]"),
              HasSubstr("counters/0/value: has 1 values, time_ps has 2"));
  write_timeline(file_, example());
  EXPECT_THAT(error_with("\"time_ps\": [3,", "\"time_ps\": [2000000000000,"),
              HasSubstr("time_ps: is not in order"));
}

TEST_F(TimelineFile, WithoutCountersIsReadToo) {
  MeasuredTimeline plain;
  plain.provenance = make_provenance("test", {});
  write_timeline(file_, plain);
  EXPECT_EQ(read_text_file(file_).find("counters"), std::string::npos);
  EXPECT_EQ(read_timeline(file_).timeline, plain.timeline);
}

// Work that overlaps, as on two streams, counts once; iterations without it count as zero.
TEST(LayerTimes, AreTheMedianOverIterationsOfTheTimeCovered) {
  MeasuredTimeline run;
  run.layers = {{"aten::conv2d", "", ""}};
  const TrackId one = run.timeline.add_track("gpu0/stream 7");
  const TrackId two = run.timeline.add_track("gpu0/stream 8");
  const auto add = [&](TrackId track, std::int64_t from, std::int64_t to, std::int16_t iteration) {
    Span span;
    span.start = SimTime::from_picoseconds(from);
    span.end = SimTime::from_picoseconds(to);
    span.track = track;
    span.label = {
        .name = {}, .rank = 0, .layer = 0, .iteration = iteration, .kind = SpanKind::kForward};
    run.timeline.add(span);
  };
  add(one, 0, 1000, 0);  // the first of three or more is left out
  add(one, 2000, 2010, 1);
  add(two, 2005, 2030, 1);
  add(one, 3000, 3050, 2);
  EXPECT_DOUBLE_EQ(layer_times(run).at(0).forward.si(), 40e-12);
}

TEST(RecordingFromAProfile, HasItsIterationsWithoutTheFirstAndIsReadAsAnyOther) {
  MeasuredTimeline run = example();
  run.iterations_s = {9, 0.5, 0.25, 0.75};
  const RecordedExperiment experiment{.model = "resnet50",
                                      .batch = 8,
                                      .threads = 1,
                                      .device = "t4",
                                      .framework = "pytorch",
                                      .precision = "fp32",
                                      .seq = std::nullopt};
  const Recording got =
      parse_recording(to_json_text(recording_from(run, experiment, 25557032)), "r.json");
  ASSERT_EQ(got.runs.size(), 1u);
  EXPECT_EQ(got.runs[0].experiment, experiment);
  EXPECT_EQ(got.runs[0].parameters, 25557032);
  EXPECT_DOUBLE_EQ(got.runs[0].time().si(), 0.5);
  run.iterations_s.clear();
  EXPECT_THROW(recording_from(run, experiment, 25557032), InputError);
}

}  // namespace
}  // namespace paceline
