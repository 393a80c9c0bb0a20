// The solver on laws whose parameters are known.
#include "calibration/fit/least_squares.h"

#include <ceres/jet.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "calibration/fit/autodiff_residual.h"
#include "calibration/fit/residual_functions.h"

namespace paceline {
namespace {

// time = fixed + size / rate; with `product` time = fixed * rate * size, where only the product of
// the two parameters can be known.
class Line : public ResidualFunctions {
 public:
  struct Point {
    double size;
    double time;
  };
  explicit Line(std::vector<Point> points, bool product = false)
      : points_(std::move(points)), product_(product) {}
  std::size_t count() const override { return points_.size(); }
  ceres::CostFunction* make(std::size_t i, double sigma,
                            const std::vector<FitParameter>& parameters) const override {
    return make_log_time_residual(
        [size = points_[i].size, product = product_](const auto* p) {
          using T = std::decay_t<decltype(p[0])>;
          return product ? T(p[0] * p[1] * size) : T(p[0] + size / p[1]);
        },
        points_[i].time, sigma, parameters);
  }

 private:
  std::vector<Point> points_;
  bool product_;
};

constexpr double kFixed = 2e-6;
constexpr double kRate = 3e10;

// Sizes from 1 kB to 1 GB with noise of `sd` on ln(time).
std::vector<Line::Point> measured(std::uint32_t seed, double sd, int count = 30) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sd);
  std::vector<Line::Point> out;
  for (int i = 0; i < count; ++i) {
    const double size = 1e3 * std::pow(1e6, i / (count - 1.0));
    out.push_back({size, (kFixed + size / kRate) * std::exp(noise(random))});
  }
  return out;
}

std::vector<FitParameter> unknowns(double prior_sd = 2) {
  return {{.name = "fixed", .unit = "s", .center = 1e-5, .prior_sd = prior_sd},
          {.name = "rate", .unit = "B/s", .center = 1e10, .prior_sd = prior_sd}};
}

LeastSquaresResult solve(const Line& line, double sigma,
                         const std::vector<FitParameter>& parameters) {
  return solve_least_squares(parameters, line, std::vector<double>(line.count(), sigma), {});
}

TEST(LeastSquares, RecoversKnownParametersWithinTheirErrors) {
  const LeastSquaresResult result = solve(Line(measured(1, 0.03)), 0.03, unknowns());
  ASSERT_TRUE(result.converged) << result.termination;
  EXPECT_LT(std::abs(std::log(result.values[0] / kFixed)), 3 * std::sqrt(result.covariance[0]));
  EXPECT_LT(std::abs(std::log(result.values[1] / kRate)), 3 * std::sqrt(result.covariance[3]));
  EXPECT_EQ(result.agreeing_starts, result.starts);
  EXPECT_TRUE(result.left_to_prior.empty());
}

// Over many data sets, 95 % intervals hold the truth about 95 times in a hundred.
TEST(LeastSquares, IntervalsHoldTheTruthAsOftenAsTheySay) {
  int inside = 0;
  const int sets = 100;
  for (int seed = 0; seed < sets; ++seed) {
    const auto line = Line(measured(static_cast<std::uint32_t>(100 + seed), 0.05));
    const LeastSquaresResult result = solve(line, 0.05, unknowns());
    inside +=
        std::abs(std::log(result.values[0] / kFixed)) < 1.96 * std::sqrt(result.covariance[0]);
    inside += std::abs(std::log(result.values[1] / kRate)) < 1.96 * std::sqrt(result.covariance[3]);
  }
  EXPECT_GT(inside, 0.89 * 2 * sets);
  EXPECT_LE(inside, 0.995 * 2 * sets);
}

TEST(LeastSquares, IsTheSameEveryTime) {
  const auto a = solve(Line(measured(2, 0.1)), 0.1, unknowns());
  const auto b = solve(Line(measured(2, 0.1)), 0.1, unknowns());
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.covariance, b.covariance);
}

// One point in ten is five times too slow; least squares without a robust loss would move the rate
// by more than 10 %.
TEST(LeastSquares, OutliersHardlyMoveTheFit) {
  auto points = measured(3, 0.02);
  for (std::size_t i = 0; i < points.size(); i += 10) points[i].time *= 5;
  const LeastSquaresResult result = solve(Line(points), 0.02, unknowns());
  EXPECT_NEAR(std::log(result.values[1] / kRate), 0, 0.03);
}

TEST(LeastSquares, RefusesParametersThatOnlyOccurAsAProduct) {
  auto free = unknowns(0);
  const LeastSquaresResult result = solve(Line(measured(4, 0.02), true), 0.02, free);
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.termination.find("not determined"), std::string::npos) << result.termination;
}

TEST(LeastSquares, SaysWhichParametersComeFromThePrior) {
  std::vector<Line::Point> large = measured(5, 0.02);
  large.erase(large.begin(), large.begin() + 20);  // only sizes where the fixed cost is invisible
  auto parameters = unknowns(0.5);
  parameters[0].center = 1e-6;
  parameters[0].required = true;
  const LeastSquaresResult result = solve(Line(large), 0.02, parameters);
  EXPECT_EQ(result.left_to_prior, std::vector<std::string>{"fixed"});
  EXPECT_EQ(result.required_but_unknown, std::vector<std::string>{"fixed"});
}

// A solver may step far beyond a limit: value and derivative there are still numbers.
TEST(FitParameter, HasADerivativeHoweverFarBeyondALimit) {
  FitParameter parameter;
  parameter.scale = ParameterScale::kLog;
  parameter.lower = 0.2;
  parameter.upper = 10;
  for (const double far : {-1e5, -10.0, 10.0, 1e5}) {
    const auto coordinate = coordinate_of(parameter, ceres::Jet<double, 1>(far, 0));
    EXPECT_GE(coordinate.a, std::log(0.2) - 1e-12) << far;
    EXPECT_LE(coordinate.a, std::log(10.0) + 1e-12) << far;
    EXPECT_TRUE(std::isfinite(coordinate.v[0])) << far;
  }
}

TEST(LeastSquares, StaysInsidePhysicalLimitsAndSaysSo) {
  auto parameters = unknowns();
  parameters[1].lower = 1e9;
  parameters[1].upper = 1e10;  // the truth, 3e10, is impossible here
  const LeastSquaresResult result = solve(Line(measured(6, 0.02)), 0.02, parameters);
  EXPECT_LE(result.values[1], 1e10 * (1 + 1e-12));
  EXPECT_EQ(result.at_limit, std::vector<std::string>{"rate"});
  EXPECT_GT(result.covariance[3], 0);
}

TEST(LeastSquares, GivenParametersStayAndHaveNoError) {
  auto parameters = unknowns();
  parameters[0].center = kFixed;
  parameters[0].given = true;
  const LeastSquaresResult result = solve(Line(measured(7, 0.02)), 0.02, parameters);
  EXPECT_EQ(result.values[0], kFixed);
  EXPECT_EQ(result.covariance[0], 0);
  EXPECT_NEAR(std::log(result.values[1] / kRate), 0, 0.05);
}

}  // namespace
}  // namespace paceline
