#include "answers/compare/reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paceline {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// An iteration of forward and backward passes and waiting for the host, in milliseconds.
Report report(const char* framework, double forward, double backward, double host) {
  Report r;
  r.experiment.model = "lstm-ptb";
  r.experiment.batch = 128;
  r.experiment.framework = framework;
  r.breakdown.forward = Seconds(forward / 1e3);
  r.breakdown.backward = Seconds(backward / 1e3);
  r.breakdown.host = Seconds(host / 1e3);
  const double time = r.breakdown.total().si();
  r.iteration_time_s = {time, 0.9 * time, 1.1 * time};
  r.throughput_samples_per_s = {128 / time, 128 / (1.1 * time), 128 / (0.9 * time)};
  r.bottleneck.text = std::string("what binds ") + framework;
  r.memory.capacity = 1;
  return r;
}

std::vector<std::string> why(const std::vector<Report>& reports, std::size_t most = 4) {
  return reasons(reports, rank_points(reports, RankBy::kThroughput, nullptr), most);
}

// 100 against 40 ms: 45 of the 60 are waiting, 15 the backward pass; 0 of the forward pass.
TEST(Reasons, NameThePartsThatMakeTheDifference) {
  const auto lines = why({report("mxnet", 15, 40, 45), report("cntk", 15, 25, 0)});
  EXPECT_THAT(lines,
              ElementsAre(AllOf(HasSubstr("mxnet takes 60.0 ms longer than cntk for lstm-ptb"),
                                HasSubstr("host +45.0 ms, backward +15.0 ms; what binds mxnet"),
                                testing::Not(HasSubstr("forward")))));
}

TEST(Reasons, SayWhatTheSlowerOneSavesToo) {
  const auto lines = why({report("caffe", 20, 60, 0), report("torch7", 30, 30, 0)});
  EXPECT_THAT(lines, ElementsAre(HasSubstr("backward +30.0 ms, forward -10.00 ms")));
}

TEST(Reasons, CompareOnlyTheSameWork) {
  Report other = report("mxnet", 15, 40, 45);
  other.experiment.batch = 64;
  EXPECT_THAT(why({other, report("cntk", 15, 25, 0)}), IsEmpty());
  EXPECT_THAT(why({report("cntk", 16, 25, 0), report("cntk", 15, 25, 0)}), IsEmpty());
}

TEST(Reasons, LargestFirstAndNoMoreThanAskedFor) {
  const std::vector<Report> reports = {report("cntk", 15, 25, 0), report("torch7", 15, 35, 0),
                                       report("mxnet", 15, 40, 45)};
  EXPECT_THAT(why(reports), ElementsAre(HasSubstr("mxnet"), HasSubstr("torch7")));
  EXPECT_THAT(why(reports, 1), ElementsAre(HasSubstr("mxnet")));
}

// The same comparison over two networks is two reasons, told apart.
TEST(Reasons, SayOverWhichNetwork) {
  std::vector<Report> reports;
  for (const char* net : {"1gbe", "10gbe"}) {
    for (const char* framework : {"cntk", "mxnet"}) {
      const bool slow = std::string(framework) == "mxnet";
      Report r = report(framework, 10, slow ? 40 : 20, 0);
      r.experiment.devices = 8;
      r.experiment.net = net;
      reports.push_back(r);
    }
  }
  EXPECT_THAT(why(reports), UnorderedElementsAre(HasSubstr("for lstm-ptb on 8 devices over 1gbe:"),
                                                 HasSubstr("on 8 devices over 10gbe:")));
}

// Of one framework, strategies are what differs.
TEST(Reasons, NameStrategiesWhereTheFrameworkIsTheSame) {
  Report slow = report("mxnet", 15, 25, 0);
  slow.experiment.strategy = "kvstore-local";
  slow.breakdown.exposed_communication = Seconds(0.04);
  slow.iteration_time_s.median = 0.08;
  slow.throughput_samples_per_s.median = 1600;
  Report fast = report("mxnet", 15, 25, 0);
  fast.experiment.strategy = "kvstore-device";
  EXPECT_THAT(why({slow, fast}),
              ElementsAre(AllOf(HasSubstr("kvstore-local takes 40.0 ms longer than kvstore-device"),
                                HasSubstr("exposed communication +40.0 ms"))));
}

}  // namespace
}  // namespace paceline
