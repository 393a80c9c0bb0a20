// What paceline check calls plausible, and what it says explains a number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/test_program.h"

namespace paceline {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TestOutcome check_of(double samples_per_s, const std::string& more = "") {
  const TestFolder folder;
  return run_program_in(folder,
                        "check --model resnet50 --batch 256 --precision fp16 --device "
                        "a100-sxm-80g --measured '" +
                            std::to_string(samples_per_s) + " samples/s' " + more);
}

json throughput_finding(const TestOutcome& outcome) {
  const json answer = json::parse(outcome.out);
  for (const json& finding : answer["findings"]) {
    if (finding["what"] == "throughput against the prediction") return finding;
  }
  ADD_FAILURE() << outcome.out;
  return {};
}

// The ends of the interval of the prediction itself.
json predicted_rate(const std::string& setting) {
  const TestFolder folder;
  return json::parse(run_program_in(folder,
                                    "predict --model resnet50 --batch 256 --device "
                                    "a100-sxm-80g --json " +
                                        setting)
                         .out)["throughput_samples_per_s"];
}

// A fourteenth of the prediction: fp32 is nearest, and still predicts three times as much.
TEST(CheckCommand, CallsNothingFittingWhoseIntervalDoesNotHoldTheNumber) {
  const TestOutcome outcome = check_of(120);
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.out, AllOf(Not(HasSubstr("fits with")), HasSubstr("nearest is")));
}

// What another precision predicts lies in its interval, and fits; so does what lies at its end.
TEST(CheckCommand, CallsFittingWhoseIntervalHoldsTheNumber) {
  const json fp32 = predicted_rate("--precision fp32");
  EXPECT_THAT(check_of(fp32["median"]).out, HasSubstr("it fits with"));
  const double at_its_end = 1.01 * fp32["p05"].get<double>();
  EXPECT_THAT(check_of(at_its_end).out, HasSubstr("it fits with"));
}

// Just below the interval: nothing is wrong with the number, but it is no confirmation either.
TEST(CheckCommand, SaysThatAPlausibleNumberIsSlowerThanExpectedAndWhatMakesItSo) {
  const double below = 0.95 * predicted_rate("--precision fp16")["p05"].get<double>();
  const TestOutcome outcome = check_of(below);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, AllOf(testing::StartsWith("plausible, but slower than expected\n"),
                                 HasSubstr("below its interval"), HasSubstr("data loading")));
  const json finding = throughput_finding(check_of(below, "--json"));
  EXPECT_EQ(finding["verdict"], "plausible");
  EXPECT_EQ(finding["remark"], "slower than expected");
}

TEST(CheckCommand, HasNoRemarkAboutANumberInsideTheInterval) {
  const double expected = predicted_rate("--precision fp16")["median"];
  EXPECT_EQ(throughput_finding(check_of(expected, "--json"))["remark"], "");
  EXPECT_THAT(check_of(expected).out, testing::StartsWith("plausible\n"));
}

// Sizes are as people write them.
TEST(CheckCommand, WritesMemoryInUnits) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(
      folder,
      "check --measured '300 samples/s' --model resnet50 --batch 2048 --device v100-sxm2-16g");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("measured  1"), HasSubstr(" GB, at most 16.9 GB"),
                                 Not(HasSubstr("e+"))));
}

}  // namespace
}  // namespace paceline
