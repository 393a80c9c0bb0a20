#include "answers/check/scaling_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "answers/check/scaling_file.h"
#include "core/error.h"

namespace paceline {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;

std::vector<Finding> check(const std::string& csv) {
  const MeasuredTable table = read_measured_table(csv, "test.csv");
  return table.ranks.empty() ? check_scaling(table.points, {}) : check_stragglers(table.ranks);
}

const auto says = [](const char* text) {
  return Contains(Field(&Finding::cause, HasSubstr(text)));
};
const auto worst = [](const std::vector<Finding>& findings) {
  return CheckResult{findings, {}}.verdict();
};

TEST(Scaling, ThatFallsGentlyIsPlausible) {
  const auto findings = check("gpus,samples_per_s\n1,100\n2,195\n4,380\n8,740\n");
  EXPECT_EQ(worst(findings), Verdict::kPlausible);
  EXPECT_THAT(findings, Contains(Field(&Finding::measured, testing::DoubleNear(0.925, 1e-9))));
}

TEST(Scaling, ThatIsMoreThanLinearIsImplausible) {
  const auto findings = check("gpus,samples_per_s\n1,100\n4,440\n");
  EXPECT_EQ(worst(findings), Verdict::kImplausible);
  EXPECT_THAT(findings, says("more than linear"));
}

// One number of devices gets one verdict, whichever of the rules speaks.
TEST(Scaling, NeverJudgesOneNumberTwice) {
  for (const char* text :
       {"gpus,samples_per_s\n1,330\n8,2900\n", "gpus,samples_per_s\n1,100\n2,230\n4,470\n8,990\n",
        "gpus,samples_per_s\n1,100\n4,440\n8,760\n"}) {
    std::vector<std::string> subjects;
    for (const Finding& finding : check(text)) subjects.push_back(finding.what);
    std::ranges::sort(subjects);
    EXPECT_EQ(std::ranges::adjacent_find(subjects), subjects.end()) << text;
  }
}

// 1, 4 and 8 devices at 100, 1500 and 6000: 15 and 60 times.
TEST(Scaling, WithTheSquareOfTheDevicesCountsThemTwice) {
  const auto findings = check("gpus,samples_per_s\n1,100\n4,1500\n8,6000\n");
  EXPECT_EQ(worst(findings), Verdict::kImpossible);
  EXPECT_THAT(findings, says("counted twice"));
}

TEST(Scaling, OfIterationsPerSecondSaysThatTheyAreOfEachDevice) {
  const auto findings = check("gpus,metric,value\n1,it/s,3.95\n4,it/s,2.7\n");
  EXPECT_EQ(worst(findings), Verdict::kPlausible);
  EXPECT_THAT(findings, says("2.73 times"));
  EXPECT_THAT(findings, says("68.4 % efficiency"));
}

TEST(Scaling, NamesTheStepToSeveralMachines) {
  const auto findings =
      check("gpus,gpus_per_node,samples_per_s\n1,8,100\n8,8,760\n16,8,500\n32,8,900\n");
  EXPECT_EQ(worst(findings), Verdict::kImplausible);
  EXPECT_THAT(findings, says("16 devices are slower than 8"));
}

TEST(Stragglers, AreRanksThatAllOthersWaitFor) {
  const auto findings = check("rank,iteration_s\n0,0.2\n1,0.21\n2,0.3\n3,0.2\n");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].what, HasSubstr("rank 2"));
  EXPECT_EQ(findings[0].verdict, Verdict::kImplausible);
  EXPECT_EQ(worst(check("rank,iteration_s\n0,0.2\n1,0.21\n2,0.2\n")), Verdict::kPlausible);
}

TEST(ScalingFile, RefusesWhatItCannotUseWithTheLine) {
  const char* bad[] = {"",
                       "gpus,samples_per_s\n",
                       "gpus,samples_per_s\n1,100\n",
                       "gpus,samples_per_s\n1\n",
                       "gpus,samples_per_s\n1,fast\n",
                       "gpus,samples_per_s\n1,nan\n2,4\n",
                       "gpus,samples_per_s\n1,-5\n2,4\n",
                       "gpus,samples_per_s\n0,5\n2,4\n",
                       "gpus,samples_per_s\n1000000000,5\n2,4\n",
                       "gpus,speed\n1,5\n2,4\n",
                       "gpus,metric,value\n1,it/s,5\n2,samples/s,9\n",
                       "gpus,metric,value\n1,furlongs,5\n2,furlongs,9\n",
                       "rank,iteration_s\n0,1\n1,2\n"};
  for (const char* text : bad) EXPECT_THROW(check(text), InputError) << text;
}

}  // namespace
}  // namespace paceline
