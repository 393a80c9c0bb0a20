// From a measurement file to parameters, on synthetic measurements of a machine that obeys the
// formulas.
#include "calibration/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "calibration/report/residual_plot.h"
#include "core/error.h"
#include "model/cost/fitted.h"

namespace paceline {
namespace {

using Int = std::int64_t;

Measurement result(const std::string& benchmark, Axes axes, int threads, double seconds) {
  Measurement m;
  m.benchmark = benchmark;
  m.axes = std::move(axes);
  m.axes["threads"] = Int{threads};
  m.axes["cache"] = "warm";
  m.result_checked = true;
  for (const double round : {1.0, 1.02}) {
    m.rounds.push_back({"2026-11-30T00:00:00Z", 0, true, {seconds * round}});
  }
  return m;
}

// 100 GFLOP/s per thread and 1 us per call; copies at 20 GB/s whatever the threads; 2 % noise.
MeasurementSet machine() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, 0.02);
  std::uniform_real_distribution<double> log_size(std::log(16.0), std::log(2048.0));
  MeasurementSet set;
  set.provenance = make_provenance("paceline measure", {});
  const auto extent = [&] { return 16 * Int(std::lround(std::exp(log_size(random)) / 16)); };
  for (int i = 0; i < 60; ++i) {
    const Int m = extent(), n = extent(), k = extent();
    for (const int threads : {1, 2}) {
      const double time = 1e-6 + 2.0 * double(m) * double(n) * double(k) / (1e11 * threads);
      set.results.push_back(result(
          "openblas.sgemm", {{"m", m}, {"n", n}, {"k", k}, {"trans_a", "N"}, {"trans_b", "N"}},
          threads, time * std::exp(normal(random))));
    }
  }
  for (int i = 0; i < 40; ++i) {
    const Int elements = Int(1000 * std::pow(1.3, i));
    for (const int threads : {1, 2}) {
      const double time = 1e-6 + 8.0 * double(elements) / 2e10;
      set.results.push_back(result(
          "aten.copy",
          {{"elements", elements}, {"read_bytes", 4 * elements}, {"written_bytes", 4 * elements}},
          threads, time * std::exp(normal(random))));
    }
  }
  return set;
}

CalibrateOptions quick() {
  CalibrateOptions options;
  options.fit.solver.starts = 2;
  return options;
}

const CalibrationResult& calibrated() {
  static const CalibrationResult kResult = calibrate(machine(), quick());
  return kResult;
}

TEST(Calibrate, PredictsShapesItHasNotSeen) {
  ASSERT_TRUE(calibrated().refused.empty()) << calibrated().report;
  for (const Fit& fit : calibrated().parameters.fits) {
    EXPECT_LT(fit.quality.held_out_mape, 0.08) << calibrated().report;
    EXPECT_GT(fit.quality.held_out, 10);
    EXPECT_TRUE(fit.quality.refit_on_all);
  }
  const FittedCostModel model(calibrated().parameters);
  const KernelCost cost =
      model.cost({"openblas.sgemm", GemmShape{.m = 512, .n = 512, .k = 512}}, {.threads = 2});
  EXPECT_NEAR(cost.time.si() / (2.0 * std::pow(512.0, 3) / 2e11), 1, 0.08);
  EXPECT_LT(cost.shared_sd, 0.1);
  EXPECT_EQ(cost.origin.kind, OriginKind::kFitted);
}

TEST(Calibrate, IsTheSameEveryTimeAndSurvivesItsFile) {
  CalibrationResult again = calibrate(machine(), quick());
  again.parameters.provenance.date = calibrated().parameters.provenance.date;
  EXPECT_EQ(parameters_text(again.parameters), parameters_text(calibrated().parameters));
  EXPECT_EQ(again.report, calibrated().report);
  const std::string text = parameters_text(calibrated().parameters);
  EXPECT_EQ(parameters_text(parse_parameters(text, "p.json")), text);
}

TEST(Calibrate, ListsEveryShapeItHasSeen) {
  const auto& shapes = calibrated().parameters.fitted_shapes;
  EXPECT_TRUE(std::is_sorted(shapes.begin(), shapes.end()));
  EXPECT_NE(std::find(shapes.begin(), shapes.end(), "aten.copy: stream 1000"), shapes.end());
}

TEST(Calibrate, ReportsEveryFitAndDrawsIt) {
  EXPECT_NE(calibrated().report.find("openblas.sgemm (cpu.gemm/1): converged"), std::string::npos)
      << calibrated().report;
  const std::string& plot = calibrated().plots.at("aten.copy");
  EXPECT_EQ(plot.rfind("<svg ", 0), 0U);
  EXPECT_NE(plot.find("</svg>"), std::string::npos);
}

TEST(Calibrate, CanBeLimitedToSomeFits) {
  CalibrateOptions options = quick();
  options.only = {"aten.copy"};
  const CalibrationResult copies = calibrate(machine(), options);
  ASSERT_EQ(copies.parameters.fits.size(), 1U);
  EXPECT_EQ(copies.parameters.fits[0].implementation, "aten.copy");
  options.only = {"aten.cpy"};
  EXPECT_THROW(calibrate(machine(), options), UsageError);
}

TEST(Calibrate, RefusesAFileWithoutKernels) {
  EXPECT_THROW(calibrate(MeasurementSet{}, {}), InputError);
}

// A measurement that never passed the noise gate is not used.
TEST(Calibrate, IgnoresRejectedRounds) {
  MeasurementSet set = machine();
  for (Measurement& m : set.results) {
    if (m.benchmark == "aten.copy") {
      for (MeasurementRound& round : m.rounds) round.accepted = false;
    }
  }
  const CalibrationResult result = calibrate(set, quick());
  EXPECT_EQ(result.parameters.find("aten.copy"), nullptr);
}

// The message of a file in which nothing can be trusted says so, not that nothing was measured.
TEST(Calibrate, SaysThatTheMachineWasBusy) {
  MeasurementSet set = machine();
  for (Measurement& m : set.results) {
    for (MeasurementRound& round : m.rounds) round = {round.start, 1.5, false, round.samples_s};
  }
  try {
    calibrate(set, quick());
    FAIL() << "rejected rounds were fitted";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("too busy"), std::string::npos) << text;
    EXPECT_NE(text.find("up to 1.5 processors"), std::string::npos) << text;
  }
}

TEST(Calibrate, TrustsOnlyCheckedResults) {
  MeasurementSet set = machine();
  for (Measurement& m : set.results) {
    if (m.benchmark == "aten.copy") m.result_checked = false;
  }
  EXPECT_EQ(calibrate(set, quick()).parameters.find("aten.copy"), nullptr);
  for (Measurement& m : set.results) m.result_checked = false;
  EXPECT_THROW(calibrate(set, quick()), InputError);
}

// "cache" decides which memory a kernel is priced with, so it is not guessed.
TEST(Calibrate, RefusesMeasurementsThatDoNotSayWhichCachesTheyFound) {
  MeasurementSet set = machine();
  set.results[0].axes["cache"] = "tepid";
  EXPECT_THROW(calibrate(set, quick()), InputError);
  set.results[0].axes.erase("cache");
  EXPECT_THROW(calibrate(set, quick()), InputError);
}

// Two shapes and a prior are no fit, even if nothing is required of the data.
TEST(Calibrate, RefusesAFitOfTwoShapesAndRemembersWhy) {
  MeasurementSet set = machine();
  int copies = 0;
  std::erase_if(set.results, [&](const Measurement& m) {
    return m.benchmark == "aten.copy" && copies++ >= 4;  // two shapes on one and two threads
  });
  const CalibrationResult result = calibrate(set, quick());
  EXPECT_EQ(result.parameters.find("aten.copy"), nullptr);
  ASSERT_TRUE(result.parameters.refused.contains("aten.copy"));
  EXPECT_NE(result.parameters.refused.at("aten.copy").find("too few shapes"), std::string::npos);
}

// Equal times lie on the diagonal, held-out shapes are hollow.
TEST(ResidualPlot, PutsEqualTimesOnTheDiagonal) {
  const std::string plot =
      residual_plot("a < b", {{"gemm", 1, 1e-5, 1e-5, false}, {"gemm", 2, 1e-6, 1e-6, true}});
  EXPECT_NE(plot.find("a &lt; b"), std::string::npos);
  EXPECT_NE(plot.find("cx=\"490.00\" cy=\"40.00\""), std::string::npos) << plot;
  EXPECT_NE(plot.find("cx=\"70.00\" cy=\"460.00\""), std::string::npos) << plot;
  EXPECT_NE(plot.find("fill=\"none\""), std::string::npos);
}

}  // namespace
}  // namespace paceline
