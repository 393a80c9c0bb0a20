// Input that is right but cannot be run: the answer in full, the reason in one line, exit code 5.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/test_program.h"

namespace paceline {
namespace {

using testing::HasSubstr;

struct Infeasible {
  const char* name;
  const char* arguments;
  const char* shows;  // part of the answer
  const char* says;   // part of the line on stderr
};

// A thousand ResNet images do not fit in 16 GB, and a day is not enough for a billion of them.
#define TOO_LARGE "--model resnet50 --batch 1024 --device good.json "
const Infeasible kInfeasible[] = {
    {"Predict", "predict " TOO_LARGE, "DOES NOT FIT", "of made-up"},
    {"PredictAsJson", "predict " TOO_LARGE "--json", "\"fits\": false", "needs"},
    {"PredictSeveral", "predict --model resnet50 --batch 1024,2048 --device good.json", "no",
     "none of 2 configurations fits"},
    {"Compare", "compare --model resnet50 --batch 1024,2048 --device good.json", "no",
     "none of 2 configurations fits; the nearest needs"},
    {"CompareOne", "compare " TOO_LARGE, "no", "infeasible: needs"},
    {"CompareAsJson", "compare " TOO_LARGE "--json", "\"fits\": false", "infeasible: needs"},
    {"Explain", "explain " TOO_LARGE, "DOES NOT FIT", "infeasible: needs"},
    {"ExplainAsJson", "explain " TOO_LARGE "--json", "\"fits\": false", "infeasible: needs"},
    {"Plan", "plan " TOO_LARGE "--samples 5", "does not fit", "infeasible: the configuration"},
    {"PlanTooLate", "plan --model resnet50 --batch 8 --device good.json --samples 1B --deadline 1d",
     "no", "times the deadline"},
    {"PlanStarved",
     "plan --model resnet50 --batch 8 --device good.json --throughput '0.01 samples/s' --loader "
     "'0.001 samples/s'",
     "no", "all that --loader delivers"},
    {"PlanSeveral",
     "plan --model resnet50 --batch 4,8 --device good.json --throughput '1e9 samples/s'", "no",
     "none of 2 configurations reaches the goal"}};

class InfeasibleInput : public testing::TestWithParam<Infeasible> {};

TEST_P(InfeasibleInput, IsReportedInFullWithTheReasonAndItsOwnExitCode) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(folder, GetParam().arguments);
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.out, HasSubstr(GetParam().shows));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("paceline: infeasible: "));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(Table, InfeasibleInput, testing::ValuesIn(kInfeasible),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(GoodInput, IsFeasibleIfOnePointOfASweepIs) {
  const TestFolder folder;
  const TestOutcome outcome =
      run_program_in(folder, "compare --model fcn-r --batch 8,1000000 --device good.json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace paceline
