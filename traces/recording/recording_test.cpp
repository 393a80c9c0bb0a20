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
    "provenance": {"tool": "test", "date": "2026-11-30", "environment": {}, "libraries": {}, "argv": [],
                   "host": {"cpu": "test", "cores": 2, "memory_bytes": 1e9, "kernel": "test"}},
    "protocol": {"rounds": 1, "iterations": 3, "warmup": 1, "foreign_cpu_limit": 0.05,
                 "statistic": "test", "optimizer": "SGD"},
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

// What the reader says of a recording in which `from` is `to`.
std::string message(const std::string& from, const std::string& to) {
  std::string text = recording("measured", round(1, true));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    parse_recording(text, "recording.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Recording, NamesFileAndPlaceOfWhatItCannotUse) {
  EXPECT_THAT(message("\"batch\": 64", "\"batch\": -4"),
              HasSubstr("recording.json:/runs/0/experiment/batch"));
  EXPECT_THAT(message("\"threads\": 1", "\"threads\": 4294967297"),
              HasSubstr("/runs/0/experiment/threads"));
  EXPECT_THAT(message("\"cores\": 2", "\"cores\": 18446744073709551615"),
              HasSubstr("/provenance/host/cores"));
  EXPECT_THAT(message("\"warmup\"", "\"warm_up\""), HasSubstr("/protocol"));
  EXPECT_THAT(message("\"tool\": \"test\"", "\"tool\": \"test\", \"who\": \"me\""),
              HasSubstr("/provenance"));
}

TEST(Recording, KeepsTheSettingsOfTheFramework) {
  std::string text = recording("measured", round(1, true));
  const std::string precision = "\"precision\": \"fp32\"";
  text.replace(text.find(precision), precision.size(),
               precision + ", \"options\": {\"compile\": \"on\"}");
  const Recording got = parse_recording(text, "recording.json");
  EXPECT_EQ(got.runs[0].experiment.options.at("compile"), "on");
  EXPECT_THAT(message(precision, precision + ", \"options\": {\"compile\": 1}"),
              HasSubstr("/runs/0/experiment/options/compile"));
}

// The same experiment twice would count twice.
TEST(Recording, HoldsEveryExperimentOnceAndAtLeastOne) {
  const std::string text = recording("measured", round(1, true));
  const std::size_t from = text.find("[{\"experiment\"") + 1;
  const std::string run = text.substr(from, text.size() - from - 2);
  EXPECT_THAT(message(run, run + ", " + run), HasSubstr("/runs/1/experiment"));
  EXPECT_THAT(message(run, ""), HasSubstr("/runs: holds no run"));
}

}  // namespace
}  // namespace paceline
