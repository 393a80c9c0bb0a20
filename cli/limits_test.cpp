// What limits a job, where it is said: the setting that helps is named, beside what would not help.
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

std::string answer_of(const std::string& command) {
  const TestFolder folder;
  const TestOutcome outcome = run_program_in(folder, command);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

const std::string kFewConnections =
    " --model bert-large --batch 16 --seq 512 --precision bf16 --device a100-sxm-80g --gpus 32 "
    "--gpus-per-node 8 --intra nvswitch2 ";

double change_with(const json& explained, const std::string& what) {
  for (const json& line : explained["sensitivities"]) {
    if (line["what"].get<std::string>().starts_with(what)) return line["change"];
  }
  ADD_FAILURE() << "no line \"" << what << "\"";
  return 0;
}

// Two TCP connections carry less than the card: no faster card helps, more connections do, and by
// as much as a prediction with them says.
TEST(Limits, OfConnectionsAreLiftedByMoreOfThemAndByNoFasterCard) {
  const json explained = json::parse(answer_of("explain --net 25gbe --json" + kFewConnections));
  EXPECT_THAT(explained["bottleneck"]["text"].get<std::string>(),
              AllOf(HasSubstr("--set connections=N"), HasSubstr("RDMA"),
                    Not(HasSubstr("only a faster link"))));
  EXPECT_EQ(change_with(explained, "twice the bandwidth"), 0);
  const json more =
      json::parse(answer_of("predict --net 25gbe --set connections=4 --json" + kFewConnections));
  const double time = explained["iteration_time_s"]["median"];
  const double with_more = more["iteration_time_s"]["median"];
  EXPECT_LT(with_more, 0.95 * time);
  EXPECT_NEAR(change_with(explained, "twice the connections"), with_more / time - 1, 1e-9);
  EXPECT_THAT(answer_of("explain --net 25gbe" + kFewConnections),
              HasSubstr("with twice the connections (--set connections=4)"));
}

// Queues of the simulation are said in words.
TEST(Limits, AreExplainedWithoutNamesOfTheSimulation) {
  EXPECT_THAT(answer_of("explain --net 25gbe" + kFewConnections),
              HasSubstr("exposed     collectives of rank 0: "));
}

// Cards limit where connections are enough: a line about them would name what cannot help.
TEST(Limits, OfCardsSayNothingOfConnections) {
  EXPECT_THAT(answer_of("explain --net 25gbe --set connections=8" + kFewConnections),
              AllOf(Not(HasSubstr("twice the connections")), HasSubstr("only a faster link")));
}

TEST(Limits, OfConnectionsMakeNetworksAlikeAndCompareSaysSo) {
  EXPECT_THAT(answer_of("compare --net 25gbe,100gbe" + kFewConnections),
              HasSubstr("note: 25gbe and 100gbe give the same: 2 connections of each machine"));
  EXPECT_THAT(answer_of("compare --net 25gbe,100gbe --set connections=16" + kFewConnections),
              Not(HasSubstr("give the same")));
}

// One is not "1 connections".
TEST(Limits, AreCountedAsPeopleSayIt) {
  EXPECT_THAT(
      answer_of("predict --net 25gbe --set connections=1" + kFewConnections),
      AllOf(HasSubstr("1 tcp connection of each machine"), Not(HasSubstr("1 tcp connections"))));
}

}  // namespace
}  // namespace paceline
