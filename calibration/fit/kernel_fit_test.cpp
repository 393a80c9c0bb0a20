// Whole fits on synthetic measurements of a formula with known parameters.
#include "calibration/fit/kernel_fit.h"

#include <ceres/cost_function.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "calibration/fit/residual_functions.h"
#include "calibration/report/fit_report.h"
#include "model/cost/formulas.h"

namespace paceline {
namespace {

double plausible(const formula::Declaration& declared) {
  static const std::map<std::string_view, double> kByUnit = {
      {"FLOP/s", 1e11}, {"B/s", 2e10}, {"s/B", 1e-11}, {"s", 1e-7}, {"B", 8e6}, {"FLOP", 1e6}};
  if (declared.domain == formula::Domain::kReal) return 0.1;
  // Where the formula rounds up to whole tiles, stay away from the jumps.
  if (declared.name.find("tile") == 0 || declared.name == "block") return 16;
  if (declared.name == "grain") return 1000;
  const auto found = kByUnit.find(declared.unit);
  return found == kByUnit.end() ? 0.3 : found->second;
}

std::vector<FitParameter> parameters_of(const FormulaEntry& formula) {
  std::vector<FitParameter> out;
  for (const formula::Declaration& declared : formula.parameters) {
    out.push_back({.name = std::string(declared.name),
                   .unit = std::string(declared.unit),
                   .scale = scale_of(declared.domain),
                   .center = plausible(declared),
                   .prior_sd = 1});
  }
  return out;
}

Kernel example(std::string_view formula) {
  if (formula.find("gemm") != std::string_view::npos) {
    return {"x", GemmShape{.m = 100, .n = 70, .k = 300, .trans_a = true, .trans_b = true}};
  }
  if (formula.find("convolution") != std::string_view::npos) {
    return {"x",
            ConvShape{.n = 4, .c = 3, .h = 32, .w = 32, .k = 20, .r = 1, .s = 1, .stride_w = 2}};
  }
  return {"x",
          StreamShape{.elements = 40000, .read = Bytes(3e5), .written = Bytes(2e5), .row = 64}};
}

// The derivative that Ceres uses equals the slope of the plain formula, for every formula and each
// of its parameters.
TEST(FormulaResiduals, DerivativesEqualFiniteDifferences) {
  for (const FormulaEntry& formula : kernel_formulas()) {
    if (formula.id.rfind("cpu.", 0) != 0) continue;
    const auto parameters = parameters_of(formula);
    const Observation o{example(formula.id), ExecutionContext{.threads = 2}, Seconds(1e-4), 0, ""};
    const auto functions = formula_residuals(std::string(formula.id), {o});
    const std::unique_ptr<ceres::CostFunction> function(functions->make(0, 1.0, parameters));
    std::vector<double> at;
    for (const FitParameter& p : parameters) at.push_back(to_coordinate(p.scale, p.center));
    std::vector<double*> blocks;
    for (double& u : at) blocks.push_back(&u);
    double residual = 0;
    std::vector<double> derivative(at.size());
    std::vector<double*> jacobian;
    for (double& d : derivative) jacobian.push_back(&d);
    ASSERT_TRUE(function->Evaluate(blocks.data(), &residual, jacobian.data()));
    const double step = 1e-5;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double center = at[k];
      double up = 0, down = 0;
      at[k] = center + step;
      function->Evaluate(blocks.data(), &up, nullptr);
      at[k] = center - step;
      function->Evaluate(blocks.data(), &down, nullptr);
      at[k] = center;
      EXPECT_NEAR(derivative[k], (up - down) / (2 * step), 1e-6)
          << formula.id << " " << parameters[k].name;
    }
  }
}

// Copies of 1 kB to 256 MB on 1 and 2 threads, timed by the stream formula with noise.
KernelProblem copies(double noise, std::uint32_t seed) {
  const FormulaEntry& formula = kernel_formula("cpu.stream/1");
  KernelProblem out;
  out.implementation = "aten.copy";
  out.formula = formula.id;
  std::map<std::string, double> truth = {{"call", 1e-6},
                                         {"fork", 3e-6},
                                         {"element_time", 2e-11},
                                         {"row_time", 0},
                                         {"near_bandwidth", 6e10},
                                         {"far_bandwidth", 1.2e10},
                                         {"shared_cache", 2e7},
                                         {"private_cache", 1e6},
                                         {"mid_bandwidth", 5e10},
                                         {"cache_sharpness", 3},
                                         {"cold_call", 1e-6},
                                         {"window_time", 0},
                                         {"memory_contention", 0.2},
                                         {"parallel_share", 0.95},
                                         {"grain", 3e4},
                                         {"overlap", 1}};
  std::vector<double> values;
  for (const formula::Declaration& declared : formula.parameters) {
    const double value = truth.at(std::string(declared.name));
    FitParameter p{.name = std::string(declared.name),
                   .unit = std::string(declared.unit),
                   .scale = scale_of(declared.domain),
                   .center = value * 1.3,
                   .prior_sd = 0.7};
    if (p.scale == ParameterScale::kLogit) p.center = value;
    if (value == 0)
      p = {.name = p.name,
           .unit = p.unit,
           .scale = ParameterScale::kLinear,
           .center = 0,
           .given = true};
    out.parameters.push_back(p);
    values.push_back(value);
  }
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  for (int i = 0; i < 40; ++i) {
    const auto elements = static_cast<std::int64_t>(128 * std::pow(2.0, i * 0.45));
    const Bytes bytes(4.0 * static_cast<double>(elements));
    for (const int threads : {1, 2}) {
      Observation o;
      o.kernel = {"aten.copy", StreamShape{.elements = elements, .read = bytes, .written = bytes}};
      o.context.threads = threads;
      o.measured = Seconds(formula.evaluate(o.kernel, o.context, values.data()).total *
                           std::exp(normal(random)));
      o.group = std::to_string(i / 8);
      out.observations.push_back(o);
    }
  }
  return out;
}

TEST(KernelFit, RecoversTheFormulaFromNoisyMeasurements) {
  const FitResult result = fit_kernel(copies(0.03, 1), {});
  ASSERT_TRUE(result.usable) << result.report;
  EXPECT_NEAR(std::log(result.fit.value("far_bandwidth") / 1.2e10), 0, 0.1);
  EXPECT_NEAR(std::log(result.fit.value("call") / 1e-6), 0, 0.1);
  // 3 % noise: held-out errors average about 2.4 % if the formula is right.
  EXPECT_GT(result.fit.quality.held_out, 10);
  EXPECT_LT(result.fit.quality.held_out_mape, 0.05);
  EXPECT_NEAR(result.fit.quality.own_sd, 0.03, 0.015);
  EXPECT_GE(result.fit.quality.held_out_coverage90, 0.75);
  EXPECT_EQ(result.fit.domain.at("threads"), (std::pair<double, double>{1, 2}));
  EXPECT_NE(result.report.find("far_bandwidth"), std::string::npos);
}

// Held-out shapes are not seen: making all of them ten times slower changes nothing in a fit that
// is not repeated on everything.
TEST(KernelFit, HeldOutShapesDoNotTouchTheFirstFit) {
  KernelFitOptions options;
  options.refit_on_all = false;
  KernelProblem problem = copies(0.03, 2);
  const FitResult before = fit_kernel(problem, options);
  for (std::size_t i = 0; i < problem.observations.size(); ++i) {
    ASSERT_EQ(before.samples[i].shape, to_string(problem.observations[i].kernel.shape));
    if (before.samples[i].held_out) problem.observations[i].measured *= 10;
  }
  const FitResult after = fit_kernel(problem, options);
  EXPECT_EQ(before.fit.value("far_bandwidth"), after.fit.value("far_bandwidth"));
  EXPECT_GT(after.fit.quality.held_out_mape, 0.8);
}

// Times that have nothing to do with the size cannot come from this formula.
TEST(KernelFit, RejectsMeasurementsTheFormulaDoesNotDescribe) {
  KernelProblem problem = copies(0.0, 3);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> log_time(std::log(1e-6), std::log(1e-1));
  for (Observation& o : problem.observations) o.measured = Seconds(std::exp(log_time(random)));
  const FitResult result = fit_kernel(problem, {});
  EXPECT_FALSE(result.usable);
  EXPECT_NE(result.termination.find("does not describe"), std::string::npos) << result.termination;
}

// An average error of more than 100 % on held-out shapes refuses a fit however few they are.
TEST(KernelFit, RefusesWhatItCannotPredict) {
  KernelProblem problem = copies(0.02, 6);
  const FitResult good = fit_kernel(problem, {});
  ASSERT_TRUE(good.usable) << good.report;
  problem.observations.clear();
  const KernelProblem all = copies(0.02, 6);
  int held = 0;
  for (std::size_t i = 0; i < all.observations.size(); ++i) {
    if (good.samples[i].held_out && held >= 4) continue;
    problem.observations.push_back(all.observations[i]);
    if (!good.samples[i].held_out) continue;
    problem.observations.back().measured *= 0.2;
    ++held;
  }
  const FitResult bad = fit_kernel(problem, {});
  EXPECT_FALSE(bad.usable);
  EXPECT_NE(bad.termination.find("mean error on held-out shapes"), std::string::npos)
      << bad.termination;
}

// Between 50 and 100 % a dozen held-out shapes refuse a fit, a few only make it a poor one, and the
// table of fits says so.
TEST(KernelFit, CallsPoorWhatTooFewShapesContradict) {
  const KernelProblem all = copies(0.02, 6);
  const FitResult good = fit_kernel(all, {});
  EXPECT_EQ(good.doubt, "");
  EXPECT_NE(fit_summary({good}).find("usable"), std::string::npos);
  KernelProblem few = all;
  FitResult before = good;
  for (std::size_t every = 2; before.fit.quality.held_out > 3; ++every) {
    ASSERT_LT(every, 20U);
    few.observations.clear();
    for (std::size_t i = 0; i < all.observations.size(); i += every) {
      few.observations.push_back(all.observations[i]);
    }
    before = fit_kernel(few, {});
  }
  const std::int64_t held = before.fit.quality.held_out;
  ASSERT_GE(held, 1);
  for (std::size_t i = 0; i < few.observations.size(); ++i) {
    if (before.samples[i].held_out) few.observations[i].measured *= 1 / 1.7;  // 70 % too long
  }
  const FitResult poor = fit_kernel(few, {});
  ASSERT_TRUE(poor.usable) << poor.termination;
  EXPECT_NE(poor.doubt.find("on " + std::to_string(held) + " held-out"), std::string::npos)
      << poor.doubt;
  const std::string table = fit_summary({poor});
  EXPECT_NE(table.find("poor: typical error"), std::string::npos) << table;
  EXPECT_EQ(table.find("usable"), std::string::npos) << table;
}

TEST(KernelFit, RefusesTooFewShapes) {
  KernelProblem problem = copies(0.03, 4);
  problem.observations.resize(2);
  for (FitParameter& p : problem.parameters) p.required = !p.given;
  const FitResult result = fit_kernel(problem, {});
  EXPECT_FALSE(result.usable);
  EXPECT_NE(result.termination.find("too few shapes"), std::string::npos) << result.termination;
}

// Of two values offered for a given parameter the one that fits is taken.
TEST(KernelFit, ChoosesBetweenAlternatives) {
  KernelProblem problem = copies(0.02, 5);
  problem.alternatives = {{{"shared_cache", 2e5}}, {{"shared_cache", 2e7}}};
  const FitResult result = fit_kernel(problem, {});
  ASSERT_TRUE(result.usable) << result.report;
  EXPECT_EQ(result.fit.value("shared_cache"), 2e7);
  EXPECT_EQ(result.fit.parameter("shared_cache").std_error, 0);
}

}  // namespace
}  // namespace paceline
