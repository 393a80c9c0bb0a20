// Profiles through the real program: imported, compared with a prediction, turned into a recording.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_program.h"
#include "core/json_writer.h"
#include "traces/recording/recording.h"
#include "traces/timeline/measured_timeline.h"

namespace paceline {
namespace {

using testing::HasSubstr;

// Two iterations of a layer that fcn-r has, on a CPU.
constexpr char kProfile[] = R"({"schemaVersion": 1, "traceEvents": [
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":1,"ts":0,"dur":90000},
  {"ph":"X","cat":"cpu_op","name":"aten::linear","pid":1,"tid":1,"ts":10,"dur":50000,"args":{}},
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100000,"dur":80000},
  {"ph":"X","cat":"cpu_op","name":"aten::linear","pid":1,"tid":1,"ts":100010,"dur":50000,"args":{}}]})";

class ImportOfAProfile : public testing::Test {
 protected:
  ImportOfAProfile() { write_text_file(folder_.path() / "profile.json", kProfile); }
  TestOutcome run(const std::string& arguments) { return run_program_in(folder_, arguments); }
  TestFolder folder_;
};

TEST_F(ImportOfAProfile, WritesATimeline) {
  const TestOutcome got = run("import kineto profile.json -o timeline.json");
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("2 spans on 1 tracks, 1 layers, 2 iterations"));
  EXPECT_EQ(read_timeline(folder_.path() / "timeline.json").layers.size(), 1u);
}

TEST_F(ImportOfAProfile, KeepsTheCountersOfATrace) {
  std::string text = kProfile;
  text.insert(text.rfind(']'), R"-(,{"ph":"C","cat":"gpu_counter","name":"dram read (B/s)",
    "pid":0,"ts":20,"args":{"value":"1e12"}})-");
  write_text_file(folder_.path() / "counted.json", text);
  const TestOutcome got = run("import kineto counted.json -o timeline.json");
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("2 iterations, 1 counters"));
  const MeasuredTimeline timeline = read_timeline(folder_.path() / "timeline.json");
  ASSERT_EQ(timeline.timeline.counters().size(), 1u);
  EXPECT_EQ(timeline.timeline.counters()[0].name, "gpu0/dram read");
}

TEST_F(ImportOfAProfile, WritesARecording) {
  const TestOutcome got =
      run("import kineto profile.json --recording --model fcn-r --batch 64 --device cpu -o r.json");
  EXPECT_EQ(got.code, 0) << got.err;
  const Recording recording = read_recording(folder_.path() / "r.json");
  EXPECT_DOUBLE_EQ(recording.runs.at(0).time().si(), 0.085);
  EXPECT_EQ(recording.runs.at(0).parameters, 14205962) << "of fcn-r in the catalog";
}

TEST_F(ImportOfAProfile, RefusesToRecordANetworkThatIsNotKnown) {
  const TestOutcome got =
      run("import kineto profile.json --recording --model fcn-q --batch 64 --device cpu -o r.json");
  EXPECT_EQ(got.code, 2);
  EXPECT_THAT(got.err, HasSubstr("fcn-r"));
}

// Counters of the device that worked, on average: here a kernel of 1 ms, half of it at 2 TB/s.
TEST_F(ImportOfAProfile, ShowsWhatTheTraceCounted) {
  std::string text = kProfile;
  text.insert(text.rfind(']'), R"-(,
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1000,"dur":1000,"args":{"device":0}},
    {"ph":"C","cat":"gpu_counter","name":"dram read (B/s)","pid":0,"ts":0,"args":{"value":2e12}},
    {"ph":"C","cat":"gpu_counter","name":"dram read (B/s)","pid":0,"ts":1500,"args":{"value":0}},
    {"ph":"C","cat":"gpu_counter","name":"sm active","pid":0,"ts":0,"args":{"value":0.25}})-");
  write_text_file(folder_.path() / "counted.json", text);
  const std::string explain =
      "explain --model fcn-r --batch 64 --threads 1 --device good.json --against counted.json";
  const TestOutcome got = run(explain);
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("counted     gpu0/dram read 1.00 TB/s on average"));
  EXPECT_THAT(got.out, HasSubstr("counted     gpu0/sm active 0.25"));
  EXPECT_THAT(run(explain + " --json").out, HasSubstr("\"name\": \"gpu0/dram read\""));
}

TEST_F(ImportOfAProfile, IsComparedLayerByLayer) {
  const std::string explain =
      "explain --model fcn-r --batch 64 --threads 1 --device good.json --against profile.json";
  const TestOutcome text = run(explain);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("85.0 ms measured"));
  EXPECT_THAT(text.out, HasSubstr("aten::linear"));
  const TestOutcome json = run(explain + " --json");
  EXPECT_THAT(json.out, HasSubstr("\"matched_layers\": 1"));
}

}  // namespace
}  // namespace paceline
