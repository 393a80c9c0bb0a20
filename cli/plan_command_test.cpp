// What paceline plan promises, and one rule about prices with paceline compare.
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

constexpr const char* kPlanJob = "plan --model resnet50 --batch 64 --device a100-sxm-80g ";

// A rate has an interval as a time has: the median reaches the goal, its lower end does not.
TEST(PlanCommand, ShowsTheIntervalOfARateAndThatItMayMiss) {
  const TestFolder folder;
  const auto planned = [&](double goal, const std::string& format) {
    return run_program_in(
        folder, kPlanJob + ("--throughput '" + std::to_string(goal)) + " samples/s' " + format);
  };
  const json rate =
      json::parse(planned(1, "--json").out)["configurations"][0]["throughput_samples_per_s"];
  const TestOutcome near = planned(0.99 * rate["median"].get<double>(), "");
  EXPECT_EQ(near.code, 0) << near.err;
  EXPECT_THAT(near.out,
              AllOf(HasSubstr("p05"), HasSubstr("p95"), HasSubstr("may miss the throughput: ")));
  EXPECT_THAT(planned(0.99 * rate["p05"].get<double>(), "").out, Not(HasSubstr("may miss")));
  EXPECT_THAT(planned(0.99 * rate["median"].get<double>(), "--csv").out, HasSubstr("p05"));
}

// Ranked by money, a device without a price has no place; both commands say so alike.
TEST(Prices, AreNeededOfEveryDeviceWhereverMoneyRanks) {
  const TestFolder folder;
  const std::string prices =
      "printf '{\"schema\":\"paceline.prices/1\",\"date\":\"2026-11-30\",\"source\":\"nobody\","
      "\"devices\":{\"a100-sxm-80g\":\"2 USD/h\"}}' > p.json";
  const auto refusal = [&](const std::string& command) {
    const TestOutcome outcome =
        run_program_in(folder, command + " --model resnet50 --batch 64 --prices p.json", prices);
    EXPECT_EQ(outcome.code, 3) << command << outcome.out;
    return outcome.err;
  };
  const std::string devices = " --device a100-sxm-80g,t4";
  const std::string said = refusal("compare --by price" + devices);
  EXPECT_THAT(said, HasSubstr("no price for t4"));
  EXPECT_EQ(refusal("plan --samples 1M" + devices), said);
  EXPECT_EQ(refusal("plan --samples 1M --budget '$5'" + devices), said);
  EXPECT_EQ(refusal("plan --samples 1M --device t4"), said);
}

// Without samples nothing says for how long: prices could change nothing.
TEST(Prices, AreRefusedWhereNothingCosts) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(
      folder, kPlanJob + std::string("--throughput '1 samples/s' --prices p.json"),
      "printf '{\"schema\":\"paceline.prices/1\",\"date\":\"2026-11-30\",\"source\":\"nobody\","
      "\"devices\":{\"a100-sxm-80g\":\"2 USD/h\"}}' > p.json");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--prices has no effect without --samples"));
}

}  // namespace
}  // namespace paceline
