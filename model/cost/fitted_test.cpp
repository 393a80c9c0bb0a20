#include "model/cost/fitted.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "model/cost/formulas.h"

namespace paceline {
namespace {

// A fit of every parameter of a formula, all at a plausible value of its kind.
Fit fit_of(const std::string& implementation, std::string_view formula_id) {
  Fit fit;
  fit.implementation = implementation;
  fit.formula = formula_id;
  for (const auto& declared : kernel_formula(formula_id).parameters) {
    Parameter p{.name = std::string(declared.name), .unit = std::string(declared.unit)};
    p.scale = scale_of(declared.domain);
    p.value = 0.1;
    if (p.unit == "FLOP/s") p.value = 1e11;
    if (p.unit == "B/s") p.value = 2e10;
    if (p.unit == "s/B") p.value = 1e-11;
    if (p.unit == "s") p.value = 1e-9;
    if (p.unit == "B" || p.unit == "FLOP") p.value = 1e6;
    fit.parameters.push_back(p);
  }
  return fit;
}

ParameterSet set_of(std::vector<Fit> fits) {
  ParameterSet set;
  set.device = "cpu";
  set.provenance.date = "2026-11-30T00:00:00Z";
  set.fits = std::move(fits);
  return set;
}

Kernel gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {"openblas.sgemm", GemmShape{.m = m, .n = n, .k = k}};
}

Kernel conv(Pass pass) {
  return {"onednn.conv", ConvShape{.pass = pass,
                                   .n = 8,
                                   .c = 64,
                                   .h = 28,
                                   .w = 28,
                                   .k = 64,
                                   .r = 3,
                                   .s = 3,
                                   .pad_h = 1,
                                   .pad_w = 1}};
}

TEST(FittedCostModel, EvaluatesTheFormulaOfTheFit) {
  const Fit fit = fit_of("openblas.sgemm", "cpu.gemm/1");
  std::vector<double> values;
  for (const Parameter& p : fit.parameters) values.push_back(p.value);
  const double expected =
      kernel_formula("cpu.gemm/1").evaluate(gemm(64, 64, 64), {}, values.data()).total;
  const FittedCostModel model(set_of({fit}));
  EXPECT_EQ(model.cost(gemm(64, 64, 64), {}).time.si(), expected);
  EXPECT_EQ(model.cost(gemm(64, 64, 64), {}).origin.kind, OriginKind::kFitted);
}

// The order of parameters in a file is of no consequence, nor is that of their covariance.
TEST(FittedCostModel, ReadsParametersByName) {
  Fit fit = fit_of("openblas.sgemm", "cpu.gemm/1");
  const std::size_t n = fit.parameters.size();
  fit.covariance.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) fit.covariance[i * n + i] = 1e-4 * static_cast<double>(i + 1);
  Fit reversed = fit;
  std::reverse(reversed.parameters.begin(), reversed.parameters.end());
  std::reverse(reversed.covariance.begin(), reversed.covariance.end());
  const KernelCost a = FittedCostModel(set_of({fit})).cost(gemm(100, 200, 300), {});
  const KernelCost b = FittedCostModel(set_of({reversed})).cost(gemm(100, 200, 300), {});
  EXPECT_EQ(a.time, b.time);
  EXPECT_NEAR(a.shared_sd, b.shared_sd, 1e-12);
  EXPECT_GT(a.shared_sd, 0);
}

// If the only uncertain parameter is the FLOP rate and compute is all there is, d ln t / d ln rate
// is -1, so the error of ln t is the error of ln rate.
TEST(FittedCostModel, AnErrorOfTheRateIsTheErrorOfTheTime) {
  Fit fit = fit_of("openblas.sgemm", "cpu.gemm/1");
  const std::size_t n = fit.parameters.size();
  fit.covariance.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (fit.parameters[i].name == "flop_rate") {
      fit.parameters[i].value = 1e6;
      fit.covariance[i * n + i] = 0.03 * 0.03;
    }
  }
  fit.quality.own_sd = 0.05;
  const KernelCost cost = FittedCostModel(set_of({fit})).cost(gemm(512, 512, 512), {});
  EXPECT_NEAR(cost.shared_sd, 0.03, 1e-4);
  EXPECT_EQ(cost.own_sd, 0.05);
  EXPECT_EQ(cost.bound, Bound::kCompute);
}

// A fit that does not know its FLOP rate at all still knows the time within a factor of two.
TEST(FittedCostModel, NoErrorIsLargerThanAFactorOfTwo) {
  Fit fit = fit_of("openblas.sgemm", "cpu.gemm/1");
  const std::size_t n = fit.parameters.size();
  fit.covariance.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (fit.parameters[i].name == "flop_rate") fit.covariance[i * n + i] = 400;
  }
  const KernelCost cost = FittedCostModel(set_of({fit})).cost(gemm(512, 512, 512), {});
  EXPECT_LE(std::exp(cost.shared_sd), 2.02);
}

TEST(FittedCostModel, PrefersTheFitOfTheConvolutionsPass) {
  Fit forward = fit_of("onednn.conv", "cpu.convolution/1");
  Fit dgrad = fit_of("onednn.conv.dgrad", "cpu.convolution/1");
  for (Parameter& p : dgrad.parameters) {
    if (p.name == "flop_rate") p.value = 1e9;
  }
  const FittedCostModel model(set_of({forward, dgrad}));
  EXPECT_GT(model.cost(conv(Pass::kDgrad), {}).time, model.cost(conv(Pass::kForward), {}).time);
  EXPECT_EQ(model.cost(conv(Pass::kWgrad), {}).time, model.cost(conv(Pass::kForward), {}).time);
}

TEST(FittedCostModel, FlagsWhatLiesOutsideTheMeasuredShapes) {
  Fit fit = fit_of("openblas.sgemm", "cpu.gemm/1");
  fit.domain = {{"k", {16, 512}}, {"threads", {1, 4}}};
  const FittedCostModel model(set_of({fit}));
  EXPECT_EQ(model.cost(gemm(8, 8, 16), {}).origin.kind, OriginKind::kFitted);
  const Origin far = model.cost(gemm(8, 8, 1024), {}).origin;
  EXPECT_EQ(far.kind, OriginKind::kExtrapolated);
  EXPECT_NE(far.source.find("measured range of k"), std::string::npos);
  EXPECT_EQ(model.cost(gemm(8, 8, 16), {.threads = 4}).origin.kind, OriginKind::kFitted);
  EXPECT_EQ(model.cost(gemm(8, 8, 16), {.threads = 2}).origin.kind, OriginKind::kExtrapolated);
}

// A fit that is nearly exact inside its range must not claim a factor of a thousand outside it: the
// standard deviation at most doubles.
TEST(FittedCostModel, ExtrapolationAtMostDoublesTheError) {
  Fit fit = fit_of("openblas.sgemm", "cpu.gemm/1");
  const std::size_t n = fit.parameters.size();
  fit.covariance.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (fit.parameters[i].name == "flop_rate") fit.covariance[i * n + i] = 0.2 * 0.2;
  }
  fit.quality.residual_sd = 0.001;
  const KernelCost inside = FittedCostModel(set_of({fit})).cost(gemm(512, 512, 512), {});
  fit.domain = {{"k", {16, 256}}};
  const KernelCost outside = FittedCostModel(set_of({fit})).cost(gemm(512, 512, 512), {});
  EXPECT_GT(outside.shared_sd, inside.shared_sd);
  EXPECT_LE(outside.shared_sd, 2 * inside.shared_sd * (1 + 1e-9));
}

TEST(FittedCostModel, SaysWhatIsMissing) {
  const FittedCostModel model(set_of({fit_of("openblas.sgemm", "cpu.gemm/1")}));
  EXPECT_THROW(model.cost({"aten.relu", StreamShape{}}, {}), MissingParameter);
  EXPECT_THROW(model.cost({"openblas.sgemm", StreamShape{}}, {}), InputError);
  Fit incomplete = fit_of("openblas.sgemm", "cpu.gemm/1");
  incomplete.parameters.pop_back();
  EXPECT_THROW(FittedCostModel(set_of({incomplete})), MissingParameter);
  Fit unknown = fit_of("openblas.sgemm", "cpu.gemm/1");
  unknown.formula = "cpu.gem/1";
  EXPECT_THROW(FittedCostModel(set_of({unknown})), InputError);
  Fit host;
  host.implementation = "pytorch.host";
  host.formula = "framework.host/1";
  EXPECT_NO_THROW(FittedCostModel(set_of({host})));
}

}  // namespace
}  // namespace paceline
