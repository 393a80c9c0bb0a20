#include "traces/measurement/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "core/error.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"

namespace paceline {
namespace {

using testing::HasSubstr;

Measurement sgemm(std::vector<MeasurementRound> rounds) {
  Measurement result;
  result.benchmark = "openblas.sgemm";
  result.axes = {{"m", std::int64_t{192}}, {"trans_a", std::string("T")}, {"beta", 0.5}};
  result.result_checked = true;
  result.warmup = 1;
  result.rounds = std::move(rounds);
  return result;
}

MeasurementRound round_of(std::vector<double> samples, bool accepted = true) {
  return {"2026-11-30T01:00:00Z", accepted ? 0.01 : 0.9, accepted, std::move(samples)};
}

class MeasurementFile : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "measurements.json";
};

// Rounds with medians 3, 2 and (rejected) 1: the fastest accepted one counts.
TEST(Measurement, ValueIsTheFastestAcceptedRoundsMedian) {
  const Measurement result =
      sgemm({round_of({3, 3, 9}), round_of({2, 1, 5}), round_of({1, 1, 1}, false)});
  EXPECT_EQ(result.value().si(), 2);
  EXPECT_EQ(result.accepted_rounds(), 2u);
  EXPECT_DOUBLE_EQ(result.spread(), 0.5);
}

TEST(Measurement, WithoutAnAcceptedRoundHasNoValue) {
  EXPECT_THROW(sgemm({round_of({1}, false)}).value(), InputError);
  Measurement skipped = sgemm({});
  skipped.skipped = true;
  skipped.reason = "built without OpenBLAS";
  try {
    skipped.value();
    FAIL() << "a skipped result has no value";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("built without OpenBLAS"));
  }
}

TEST(Measurement, AxisReadersNameBenchmarkAndAxis) {
  const Measurement result = sgemm({round_of({1})});
  EXPECT_EQ(result.integer("m"), 192);
  EXPECT_EQ(result.number("m"), 192);
  EXPECT_EQ(result.number("beta"), 0.5);
  EXPECT_EQ(result.text("trans_a"), "T");
  try {
    result.integer("trans_a");
    FAIL() << "text is not a number";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "openblas.sgemm (beta=0.5 m=192 trans_a=T): axis \"trans_a\" is \"T\", expected a "
                 "whole number");
  }
  EXPECT_THROW(result.integer("k"), InputError);
  // Half a thread, or none, is no count.
  EXPECT_EQ(result.count("m"), 192);
  EXPECT_THROW(result.count("beta"), InputError);
}

TEST_F(MeasurementFile, ReadsWhatWasWritten) {
  MeasurementSet set;
  set.provenance = make_provenance("paceline measure", {"paceline", "measure"});
  set.provenance.libraries["openblas"] = "0.3.21";
  set.warnings = {"the machine was busy"};
  set.results = {sgemm({round_of({1.5e-3, 1.25e-3}), round_of({2e-3}, false)}), sgemm({})};
  set.results[1].axes["m"] = std::int64_t{320};
  set.results[1].skipped = true;
  set.results[1].reason = "not enough memory";
  set.results[1].result_checked = false;
  set.results[1].warmup = 0;
  write_measurements(path_, set);
  const MeasurementSet read = read_measurements(path_);
  EXPECT_EQ(read.results, set.results);
  EXPECT_EQ(read.warnings, set.warnings);
  EXPECT_EQ(read.provenance.libraries, set.provenance.libraries);
}

TEST_F(MeasurementFile, RefusesAMeasuredResultWithoutSamples) {
  MeasurementSet set;
  set.provenance = make_provenance("paceline measure", {});
  set.results = {sgemm({round_of({})})};
  set.results[0].rounds[0].accepted = false;  // so that no value is asked for when writing
  write_measurements(path_, set);
  try {
    read_measurements(path_);
    FAIL() << "a round without samples is not a measurement";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/results/0/rounds/0/samples_s"));
  }
}

TEST_F(MeasurementFile, NeverHoldsANonFiniteNumber) {
  MeasurementSet set;
  set.provenance = make_provenance("paceline measure", {});
  set.results = {sgemm({round_of({std::numeric_limits<double>::infinity()})})};
  EXPECT_THROW(write_measurements(path_, set), Error);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST(MeasurementSet, FindsByBenchmarkAndExactAxes) {
  MeasurementSet set;
  set.results = {sgemm({round_of({1})})};
  EXPECT_EQ(set.find("openblas.sgemm", set.results[0].axes), &set.results[0]);
  EXPECT_EQ(set.find("openblas.sgemm", {}), nullptr);
  EXPECT_EQ(set.find("onednn.conv", set.results[0].axes), nullptr);
}

}  // namespace
}  // namespace paceline
