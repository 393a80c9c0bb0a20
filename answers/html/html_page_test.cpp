#include "answers/html/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answers/html/timeline_bars.h"
#include "simulator/report/prediction.h"
#include "simulator/report/test_device.h"

namespace paceline {
namespace {

using testing::HasSubstr;
using testing::Not;

Experiment experiment(std::int64_t batch) {
  Experiment e;
  e.model = "fcn-r";
  e.batch = batch;
  e.device = "<b>test</b>.json";
  return e;
}

class HtmlPage : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(PACELINE_CHART_JS).empty()) GTEST_SKIP() << "libjs-chart.js is not installed";
  }
};

// Nothing is fetched: no address of a script, style, image or font.
TEST_F(HtmlPage, NeedsNothingButItself) {
  const Prediction p = Predictor().predict(experiment(64), made_up_device());
  const std::string page = html_page({.reports = {p.report}, .plan = &p.plan});
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  EXPECT_THAT(page, HasSubstr("iteration_time_s"));
}

// Feature maps, weights and the rest over the operations of the tape, by name.
TEST_F(HtmlPage, DrawsWhatIsAliveWhen) {
  const Prediction p = Predictor().predict(experiment(64), made_up_device());
  const std::string page = html_page({.reports = {p.report}, .plan = &p.plan, .memory = &p.memory});
  EXPECT_THAT(page, HasSubstr("\"memory_timeline\""));
  EXPECT_THAT(page, HasSubstr("\"kind\": \"feature_maps\""));
  EXPECT_THAT(page, HasSubstr("\"backward " + p.plan.layers.front() + "\""));
  EXPECT_THAT(html_page({.reports = {p.report}}), Not(HasSubstr("\"memory_timeline\"")));
}

TEST_F(HtmlPage, TextOfUsersCannotBecomeMarkup) {
  const Prediction p = Predictor().predict(experiment(64), made_up_device());
  const std::string page = html_page({.reports = {p.report}});
  EXPECT_THAT(page, Not(HasSubstr("</b>")));
  EXPECT_THAT(page, Not(HasSubstr("<title>Paceline: fcn-r, batch 64, fp32 on <b>")));
}

TEST_F(HtmlPage, ShowsASweepAsPointsOverItsAxis) {
  const Predictor predictor;
  const auto device = made_up_device();
  std::vector<Report> reports;
  for (const std::int64_t batch : {32, 64}) {
    reports.push_back(predictor.predict(experiment(batch), device).report);
  }
  const std::string page = html_page({.reports = reports});
  EXPECT_THAT(page, HasSubstr("\"axis\": \"batch\""));
}

// Two spans of one kind that touch are one bar; the other track keeps its own.
TEST(TimelineBars, MergeNeighboursOfOneKind) {
  Timeline timeline;
  const TrackId a = timeline.add_track("gpu0/compute");
  const TrackId b = timeline.add_track("gpu0/network");
  const auto at = [](std::int64_t us) { return SimTime::from_picoseconds(1'000'000 * us); };
  const auto add = [&](TrackId track, std::int64_t from, std::int64_t to, SpanKind kind) {
    Span span{at(from), at(to), track, {}, kNoSpan};
    span.label.kind = kind;
    timeline.add(span);
  };
  add(a, 0, 10, SpanKind::kForward);
  add(a, 10, 30, SpanKind::kForward);
  add(a, 30, 40, SpanKind::kBackward);
  add(b, 20, 40, SpanKind::kCommunicate);
  const TimelineBars bars = timeline_bars(timeline);
  EXPECT_EQ(bars.tracks.size(), 2u);
  EXPECT_EQ(bars.bars.size(), 3u);
  EXPECT_EQ(bars.spans, 4u);
  double covered = 0;
  for (const TimelineBar& bar : bars.bars) covered += bar.end_s - bar.start_s;
  EXPECT_NEAR(covered, 60e-6, 1e-12);
}

}  // namespace
}  // namespace paceline
