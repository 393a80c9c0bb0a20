#include "validation/harness/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"
#include "simulator/report/test_device.h"
#include "validation/harness/validation_text.h"
#include "validation/harness/verdict.h"

namespace paceline {
namespace {

using testing::HasSubstr;

// A recording in which every run takes `factor` times what is predicted, on disk with its
// parameters.
class Bench : public testing::Test {
 protected:
  Bench() : parameters_(made_up_parameters()) {}

  static Prediction predicted(const std::string& model, std::int64_t batch) {
    Experiment e;
    e.model = model;
    e.batch = batch;
    e.threads = 1;
    return Predictor().predict(e, made_up_device());
  }

  void record(const std::string& model, std::int64_t batch, double factor) {
    const Prediction prediction = predicted(model, batch);
    const double time = factor * prediction.report.iteration_time_s.median;
    runs_.push_back({{"experiment",
                      {{"model", model},
                       {"batch", batch},
                       {"threads", 1},
                       {"device", "cpu"},
                       {"framework", "pytorch"},
                       {"precision", "fp32"}}},
                     {"parameters", prediction.graph.parameters()},
                     {"status", "measured"},
                     {"rounds",
                      {{{"start", "2026-11-30"},
                        {"foreign_cpu", 0},
                        {"page_faults_per_iteration", 0},
                        {"accepted", true},
                        {"samples_s", {time}},
                        {"forward_s", time / 3},
                        {"backward_s", time / 2},
                        {"optimizer_s", time / 6}}}}});
  }

  Validation score(const Thresholds& thresholds = {}) {
    write_parameters(folder_ / "p.json", parameters_);
    write_json_file(
        folder_ / "r.json",
        {{"schema", "paceline.recording/1"},
         {"provenance",
          {{"tool", "test"},
           {"date", "2026-11-30"},
           {"host", {{"cpu", ""}, {"cores", 2}, {"memory_bytes", 1e9}, {"kernel", "test"}}},
           {"environment", nlohmann::ordered_json::object()},
           {"libraries", nlohmann::ordered_json::object()},
           {"argv", nlohmann::ordered_json::array()}}},
         {"protocol",
          {{"rounds", 1},
           {"iterations", 3},
           {"warmup", 1},
           {"foreign_cpu_limit", 0.05},
           {"statistic", "test"},
           {"optimizer", "SGD"}}},
         {"runs", runs_}});
    return validate(sets_of_recording(folder_ / "r.json", folder_ / "p.json", thresholds));
  }

  TemporaryFolder folder_;
  ParameterSet parameters_;
  nlohmann::ordered_json runs_ = nlohmann::ordered_json::array();
};

// Measured twice as long as predicted: -50 %; measured as long as predicted: 0.
TEST_F(Bench, ErrorIsPredictedOverMeasuredLessOne) {
  record("fcn-r", 64, 2);
  record("fcn-r", 256, 1);
  const Validation validation = score();
  ASSERT_EQ(validation.cases.size(), 2U);
  EXPECT_NEAR(validation.cases[0].error, -0.5, 1e-9);
  EXPECT_NEAR(validation.cases[1].error, 0, 1e-9);
  EXPECT_NEAR(validation.sets.at(0).errors.mape, 0.25, 1e-9);
  EXPECT_NEAR(validation.sets.at(0).errors.bias, std::sqrt(0.5) - 1, 1e-9);
  EXPECT_EQ(validation.sets.at(0).coverage90, 0.5);
}

TEST_F(Bench, PrintsWhatNullModelsWouldHaveSaid) {
  record("fcn-r", 64, 1);
  record("alexnet", 8, 1);
  const Validation validation = score();
  EXPECT_GT(validation.sets.at(0).null_mape.at("roofline"), 0);
  // The constant rate is chosen in hindsight: its errors cancel over the set.
  const ScoredCase& a = validation.cases.at(0);
  const ScoredCase& b = validation.cases.at(1);
  EXPECT_NEAR(a.null_s.at("constant_mfu") / a.measured_s * b.null_s.at("constant_mfu"),
              b.measured_s, 1e-9);
}

TEST_F(Bench, ACaseWhoseShapesWereFittedIsShownButNotCounted) {
  record("fcn-r", 64, 2);
  record("fcn-r", 256, 1);
  parameters_.fitted_shapes = {"openblas.sgemm: gemm TN 2048x64x784"};
  const Validation validation = score();
  EXPECT_TRUE(validation.cases.at(0).in_sample);
  EXPECT_FALSE(validation.cases.at(1).in_sample);
  EXPECT_EQ(validation.sets.at(0).errors.count, 1U);
  EXPECT_NEAR(validation.sets.at(0).errors.mape, 0, 1e-9);
  EXPECT_THAT(case_table(validation).to_string(), HasSubstr("in-sample"));
}

TEST_F(Bench, ARecordingThatWasFittedToIsInSampleAsAWhole) {
  record("fcn-r", 64, 2);
  score();  // writes the files
  parameters_.sources = {{"r.json", sha256_hex(read_text_file(folder_ / "r.json")), "CC0-1.0"}};
  const Validation validation = score();
  EXPECT_TRUE(validation.cases.at(0).in_sample);
  EXPECT_EQ(validation.sets.at(0).errors.count, 0U);
}

// A kernel whose fit was refused leaves out the networks that call it, by name and with the reason;
// where it leaves out all of them there is nothing to say.
TEST_F(Bench, ANetworkThatCannotBePredictedIsLeftOutWithTheReason) {
  record("fcn-r", 64, 1);
  record("alexnet", 8, 1);
  std::erase_if(parameters_.fits,
                [](const Fit& fit) { return fit.implementation == "onednn.conv"; });
  const Validation validation = score();
  ASSERT_EQ(validation.cases.size(), 1U);
  EXPECT_EQ(validation.cases[0].name, "fcn-r-b64-t1");
  ASSERT_EQ(validation.skipped.size(), 1U);
  EXPECT_EQ(validation.skipped[0].name, "alexnet-b8-t1");
  EXPECT_THAT(validation.skipped[0].reason, HasSubstr("onednn.conv"));
  runs_.erase(runs_.begin());
  EXPECT_THROW(score(), MissingParameter);
}

TEST_F(Bench, FailsAboveItsThresholdOnly) {
  record("fcn-r", 64, 1.25);  // predicted 20 % too short
  EXPECT_TRUE(score({.mape = 0.21}).passed());
  EXPECT_FALSE(score({.mape = 0.19}).passed());
  EXPECT_FALSE(score({.mape = 0.21, .max_ape = 0.1}).passed());
  EXPECT_TRUE(score().passed());
}

TEST_F(Bench, WritesEveryKeyThatProgramsRelyOn) {
  record("fcn-r", 64, 1);
  const nlohmann::ordered_json json = to_json(score());
  for (const char* key :
       {"case", "set", "regime", "measured", "predicted", "p05", "p95", "error", "in_sample"}) {
    EXPECT_TRUE(json["cases"][0].contains(key)) << key;
  }
  for (const char* key : {"set", "count", "mape", "median_ape", "p90_ape", "max_ape", "bias",
                          "coverage90", "kendall_tau", "null"}) {
    EXPECT_TRUE(json["sets"][0].contains(key)) << key;
  }
}

// A rate fitted to one case is no model, and one case has no order.
TEST_F(Bench, OfOneCaseHasNoRateInHindsightAndNoOrder) {
  record("fcn-r", 64, 1.2);
  const Validation validation = score();
  EXPECT_FALSE(validation.sets[0].null_mape.contains("constant_mfu"));
  EXPECT_TRUE(to_json(validation)["sets"][0]["kendall_tau"].is_null());
}

// What the recording calls by a wrong name is its mistake, not that of the command line.
TEST_F(Bench, NamesThePlaceOfWhatItDoesNotKnow) {
  record("fcn-r", 64, 1);
  const auto message = [&](const char* key, const nlohmann::ordered_json& value) -> std::string {
    const nlohmann::ordered_json before = runs_;
    (key == std::string("parameters") ? runs_[0] : runs_[0]["experiment"])[key] = value;
    std::string said = "no error";
    try {
      score();
    } catch (const InputError& error) {
      said = error.what();
    }
    runs_ = before;
    return said;
  };
  EXPECT_EQ(message("batch", 64), "no error");
  EXPECT_THAT(message("model", "fcn-q"), HasSubstr("r.json:/runs/0/experiment"));
  EXPECT_THAT(message("framework", "pytroch"), HasSubstr("r.json:/runs/0/experiment"));
  EXPECT_THAT(message("precision", "fp31"), HasSubstr("r.json:/runs/0/experiment"));
  EXPECT_THAT(message("parameters", 1), HasSubstr("r.json:/runs/0/parameters"));
}

class ShippedValidation : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_directory() / "validation/sets")) {
      GTEST_SKIP() << "no recording is shipped";
    }
  }
};

TEST_F(ShippedValidation, SetsLoadAndStateAThreshold) {
  for (const ValidationSet& set : shipped_validation_sets({})) {
    EXPECT_TRUE(set.thresholds.mape.has_value()) << set.name;
    EXPECT_FALSE(set.regime.empty()) << set.name;
  }
}

// No fit has seen a matrix or convolution of the networks it is scored on, nor a recording of them.
TEST_F(ShippedValidation, NoCaseIsInSample) {
  for (const ScoredCase& c : validate(shipped_validation_sets({})).cases) {
    EXPECT_FALSE(c.in_sample) << c.set << "/" << c.name;
  }
}

TEST_F(ShippedValidation, AccuracyDocumentIsUpToDate) {
  EXPECT_EQ(read_text_file(data_directory() / "docs/accuracy.md"),
            accuracy_document(validate(shipped_validation_sets({}))))
      << "write it with: paceline validate --md -o docs/accuracy.md";
}

TEST_F(ShippedValidation, IsWithinItsThresholds) {
  for (const ScoredSet& set : validate(shipped_validation_sets({})).sets) {
    EXPECT_THAT(shortfalls(set), testing::IsEmpty()) << set.name;
  }
}

// What the CPU's sets promise: at least 24 cases, median error 6 % with one thread and 12 % with
// two, P90 20 %, 90 % intervals that hold 80 to 97 % of all cases, better than both null models.
TEST_F(ShippedValidation, OfCpusPromisesAndKeepsItsAims) {
  const Validation validation =
      validate(shipped_validation_sets({"cpu-1-thread", "cpu-2-threads"}));
  double cases = 0, inside = 0;
  for (const ScoredSet& set : validation.sets) {
    const Thresholds& t = set.thresholds;
    ASSERT_TRUE(t.median_ape && t.p90_ape && t.coverage90) << set.name;
    EXPECT_LE(*t.median_ape, set.name == "cpu-1-thread" ? 0.06 : 0.12);
    EXPECT_LE(*t.p90_ape, 0.20);
    EXPECT_GE(*t.coverage90, 0.80);
    EXPECT_TRUE(t.better_than_nulls);
    EXPECT_EQ(set.null_mape.size(), 2U);
    EXPECT_THAT(shortfalls(set), testing::IsEmpty()) << set.name;
    cases += static_cast<double>(set.errors.count);
    inside += set.coverage90 * static_cast<double>(set.errors.count);
  }
  EXPECT_GE(cases, 24);
  EXPECT_GE(inside / cases, 0.80);
  EXPECT_LE(inside / cases, 0.97);
}

TEST_F(ShippedValidation, AnUnknownNameIsAnsweredWithTheNearest) {
  EXPECT_THROW(shipped_validation_sets({"no-such-set"}), UsageError);
}

}  // namespace
}  // namespace paceline
