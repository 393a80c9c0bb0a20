#include "traces/export/chrome_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

namespace paceline {
namespace {

using nlohmann::json;

SimTime ps(std::int64_t value) { return SimTime::from_picoseconds(value); }

json exported(const Timeline& timeline, const ChromeTraceOptions& options = {}) {
  std::ostringstream text;
  write_chrome_trace(timeline, text, options);
  return json::parse(text.str());
}

std::vector<json> events(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

Timeline small_timeline() {
  Timeline timeline;
  const TrackId compute = timeline.add_track("gpu0/compute");
  const TrackId link = timeline.add_track("gpu0/nvlink \"out\"");
  Span span{ps(0), ps(2'500'000), compute, {}, kNoSpan};
  span.label.name = timeline.add_name("conv1");
  span.label.kind = SpanKind::kBackward;
  span.label.rank = 3;
  const SpanId first = timeline.add(span);
  timeline.add({ps(2'500'000), ps(4'000'000), link, {}, first});
  timeline.add_counter({"gpu0/nvlink", "B/s", {{ps(2'500'000), 1e9}, {ps(4'000'000), 0}}});
  return timeline;
}

TEST(ChromeTrace, HasOneProcessPerGroupAndOneNamedThreadPerTrack) {
  const json trace = exported(small_timeline());
  std::map<std::string, std::vector<std::string>> names;
  for (const json& event : events(trace, "M")) {
    if (event["args"].contains("name")) names[event["name"]].push_back(event["args"]["name"]);
  }
  EXPECT_THAT(names["process_name"], testing::ElementsAre("gpu0"));
  EXPECT_THAT(names["thread_name"], testing::ElementsAre("compute", "nvlink \"out\""));
}

TEST(ChromeTrace, WritesSlicesInMicrosecondsWithTheirLabels) {
  const json slice = events(exported(small_timeline()), "X").at(0);
  EXPECT_EQ(slice["name"], "conv1");
  EXPECT_EQ(slice["cat"], "backward");
  EXPECT_EQ(slice["ts"], 0.0);
  EXPECT_EQ(slice["dur"], 2.5);
  EXPECT_EQ(slice["args"]["rank"], 3);
  EXPECT_FALSE(slice["args"].contains("layer"));
}

TEST(ChromeTrace, DrawsAnArrowFromTheCauseToTheSpan) {
  const json trace = exported(small_timeline());
  ASSERT_EQ(events(trace, "s").size(), 1u);
  ASSERT_EQ(events(trace, "f").size(), 1u);
  const json from = events(trace, "s")[0];
  const json to = events(trace, "f")[0];
  EXPECT_EQ(from["id"], to["id"]);
  EXPECT_EQ(from["tid"], events(trace, "X")[0]["tid"]);
  EXPECT_EQ(to["tid"], events(trace, "X")[1]["tid"]);
  ChromeTraceOptions plain;
  plain.arrows = false;
  EXPECT_TRUE(events(exported(small_timeline(), plain), "s").empty());
}

TEST(ChromeTrace, DrawsArrowsThroughJoinsOfNoLength) {
  Timeline timeline;
  const TrackId a = timeline.add_track("a");
  const TrackId b = timeline.add_track("b");
  const TrackId none = timeline.add_track("(no resource)");
  const SpanId first = timeline.add({ps(0), ps(5000), a, {}, kNoSpan});
  const SpanId join = timeline.add({ps(5000), ps(5000), none, {}, first});
  timeline.add({ps(5000), ps(9000), b, {}, join});
  const json trace = exported(timeline);
  ASSERT_EQ(events(trace, "s").size(), 1u);
  EXPECT_EQ(events(trace, "s")[0]["tid"], events(trace, "X")[0]["tid"]);
}

TEST(ChromeTrace, WritesCountersWithTheirUnit) {
  const std::vector<json> counters = events(exported(small_timeline()), "C");
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(counters[0]["name"], "nvlink (B/s)");
  EXPECT_EQ(counters[0]["ts"], 2.5);
  EXPECT_EQ(counters[0]["args"]["value"], 1e9);
}

TEST(ChromeTrace, KeepsTheEarliestSpansOfALongRunAndSaysSo) {
  ChromeTraceOptions options;
  options.most_spans = 1;
  std::ostringstream text;
  EXPECT_EQ(write_chrome_trace(small_timeline(), text, options), 1u);
  const json trace = json::parse(text.str());
  EXPECT_EQ(trace["otherData"]["spans_left_out"], "1");
  EXPECT_EQ(events(trace, "X").size(), 1u);
  EXPECT_EQ(events(trace, "X")[0]["name"], "conv1");
}

// Perfetto moves slices that overlap on one thread to an overflow track; there must be none, with
// picoseconds that are no whole nanoseconds and many flows on one link.
TEST(ChromeTrace, SlicesOfAThreadNeverOverlap) {
  std::mt19937 random(5);
  Timeline timeline;
  for (int t = 0; t < 3; ++t) timeline.add_track("node" + std::to_string(t % 2) + "/link");
  std::size_t slices = 0;
  for (int i = 0; i < 500; ++i) {
    const auto start = static_cast<std::int64_t>(random() % 1'000'000);
    const auto length = static_cast<std::int64_t>(random() % 20'000);
    timeline.add(
        {ps(start), ps(start + length), TrackId{static_cast<unsigned>(i % 3)}, {}, kNoSpan});
    slices += (start + length) / 1000 > start / 1000 ? 1 : 0;
  }
  const json trace = exported(timeline);
  std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> threads;
  for (const json& slice : events(trace, "X")) {
    const auto start = std::llround(slice["ts"].get<double>() * 1000);
    const auto length = std::llround(slice["dur"].get<double>() * 1000);
    threads[{slice["pid"].get<int>(), slice["tid"].get<int>()}].emplace_back(start, start + length);
  }
  std::size_t found = 0;
  for (auto& [thread, intervals] : threads) {
    std::sort(intervals.begin(), intervals.end());
    for (std::size_t i = 1; i < intervals.size(); ++i) {
      EXPECT_LE(intervals[i - 1].second, intervals[i].first);
    }
    found += intervals.size();
  }
  EXPECT_EQ(found, slices) << "every span that lasts a nanosecond is a slice";
}

TEST(ChromeTrace, KeepsTouchingSpansOfATrackOnOneThread) {
  Timeline timeline;
  const TrackId track = timeline.add_track("stream");
  std::int64_t at = 0;
  for (int i = 0; i < 100; ++i) {
    timeline.add({ps(at), ps(at + 1337), track, {}, kNoSpan});
    at += 1337;
  }
  std::set<int> threads;
  for (const json& slice : events(exported(timeline), "X")) threads.insert(slice["tid"].get<int>());
  EXPECT_EQ(threads.size(), 1u);
}

}  // namespace
}  // namespace paceline
