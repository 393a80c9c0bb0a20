// What cannot be is said before what is merely not known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/test_program.h"

namespace paceline {
namespace {

using testing::HasSubstr;

std::vector<std::string> predicted_warnings(const std::string& command) {
  const TestFolder folder;
  return nlohmann::json::parse(run_program_in(folder, "predict --json " + command).out)["warnings"];
}

// No switch joins consumer cards: first of six warnings, not the last.
TEST(Warnings, BeginWithLinksThatTheDeviceDoesNotHave) {
  const std::string command =
      "--model resnet50 --batch 64 --device rtx-4090 --gpus 8 --intra nvswitch3";
  EXPECT_THAT(predicted_warnings(command).front(), HasSubstr("nvswitch3 is made up"));
  const TestFolder folder;
  EXPECT_THAT(run_program_in(folder, "predict " + command).out, HasSubstr("is made up"));
}

TEST(Warnings, BeginWithWhatDoesNotFit) {
  EXPECT_THAT(predicted_warnings("--model resnet50 --batch 4096 --device t4").front(),
              HasSubstr("does not fit"));
}

// That the interval is wide follows from parts that nobody measured, which are said before it.
TEST(Warnings, SayWhatWasNotMeasuredBeforeWhatFollowsFromIt) {
  const std::vector<std::string> all = predicted_warnings(
      "--model resnet50 --batch 64 --device rtx-4090 --gpus 8 --intra nvswitch3");
  const auto place = [&](const char* words) {
    return std::ranges::find_if(
        all, [&](const std::string& warning) { return warning.find(words) != warning.npos; });
  };
  ASSERT_NE(place("interval is wide"), all.end());
  EXPECT_LT(place("sizes or rank counts measured"), place("interval is wide"));
}

}  // namespace
}  // namespace paceline
