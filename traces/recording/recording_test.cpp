#include "traces/recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

using testing::HasSubstr;

std::string round(double median_s, bool accepted) {
  return R"({"start": "2026-11-30T03:38:24Z", "foreign_cpu": 0.01, "page_faults_per_iteration": 0,
             "accepted": )" +
         std::string(accepted ? "true" : "false") + R"(, "samples_s": [)" +
         std::to_string(2 * median_s) + "," + std::to_string(median_s) + "," +
         std::to_string(median_s / 2) + R"(], "forward_s": 1, "backward_s": 2, "optimizer_s": )" +
         std::to_string(median_s) + "}";
}

std::string recording(const std::string& status, const std::string& rounds) {
  return R"({"schema": "paceline.recording/1",
    "provenance": {"date": "2026-11-30", "host": {"cpu": "test", "cores": 2}, "libraries": {}},
    "protocol": {},
    "runs": [{"experiment": {"model": "fcn-r", "batch": 64, "threads": 1, "device": "cpu",
                             "framework": "pytorch", "precision": "fp32"},
              "parameters": 10, "status": ")" +
         status + R"(", "rounds": [)" + rounds + "]}]}";
}

// A rejected round does not count, however fast; the phases come from the round that does.
TEST(Recording, TimeIsTheLeastMedianOfTheAcceptedRounds) {
  const Recording file = parse_recording(
      recording("measured", round(4, true) + "," + round(3, true) + "," + round(1, false)), "r");
  const RecordedRun& run = file.runs.at(0);
  EXPECT_EQ(run.time().si(), 3);
  EXPECT_EQ(run.best().optimizer.si(), 3);
  EXPECT_DOUBLE_EQ(run.spread(), 1.0 / 3);
}

TEST(Recording, ARunWithoutAnAcceptedRoundHasNoTime) {
  const Recording file = parse_recording(recording("skipped", round(1, false)), "r");
  EXPECT_FALSE(file.runs.at(0).measured());
  EXPECT_THROW(file.runs.at(0).time(), Error);
}

TEST(Recording, RefusesAStatusThatItsRoundsContradict) {
  EXPECT_THROW(parse_recording(recording("skipped", round(1, true)), "r"), InputError);
  EXPECT_THROW(parse_recording(recording("measured", round(1, false)), "r"), InputError);
}

TEST(Recording, NamesFileAndPlaceOfWhatItCannotUse) {
  std::string text = recording("measured", round(1, true));
  text.replace(text.find("\"batch\": 64"), 11, "\"batch\": -4");
  try {
    parse_recording(text, "recording.json");
    FAIL() << "a negative batch was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("recording.json:/runs/0/experiment/batch"));
  }
}

}  // namespace
}  // namespace paceline
