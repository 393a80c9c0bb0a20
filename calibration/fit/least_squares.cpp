#include "calibration/fit/least_squares.h"

#include <ceres/cost_function.h>
#include <ceres/covariance.h>
#include <ceres/loss_function.h>
#include <ceres/problem.h>
#include <ceres/sized_cost_function.h>
#include <ceres/solver.h>
#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "calibration/fit/residual_functions.h"
#include "core/error.h"

namespace paceline {
namespace {

// Derivative of the coordinate by the free variable.
double slope(const FitParameter& parameter, double u) {
  if (!parameter.lower) return 1;
  const double low = to_coordinate(parameter.scale, *parameter.lower);
  const double high = to_coordinate(parameter.scale, *parameter.upper);
  const double share = 1 / (1 + std::exp(-u));
  return (high - low) * share * (1 - share);
}

// (coordinate - center) / sd of one parameter.
class PriorResidual : public ceres::SizedCostFunction<1, 1> {
 public:
  explicit PriorResidual(const FitParameter& parameter) : parameter_(parameter) {}
  bool Evaluate(double const* const* variables, double* residual,
                double** jacobian) const override {
    const double u = variables[0][0];
    const double center = to_coordinate(parameter_.scale, parameter_.center);
    residual[0] = (coordinate_of(parameter_, u) - center) / parameter_.prior_sd;
    if (jacobian != nullptr && jacobian[0] != nullptr) {
      jacobian[0][0] = slope(parameter_, u) / parameter_.prior_sd;
    }
    return true;
  }

 private:
  const FitParameter& parameter_;
};

// Ceres also logs a rank deficiency to stderr; it is reported as a refusal instead.
class QuietLog {
 public:
  QuietLog() : before_(FLAGS_minloglevel) { FLAGS_minloglevel = google::GLOG_FATAL; }
  ~QuietLog() { FLAGS_minloglevel = before_; }
  QuietLog(const QuietLog&) = delete;

 private:
  int before_;
};

class Fitter {
 public:
  Fitter(const std::vector<FitParameter>& parameters, const ResidualFunctions& functions,
         const std::vector<double>& sigma)
      : parameters_(parameters), variables_(parameters.size(), 0.0), loss_(1.0) {
    ceres::Problem::Options options;
    options.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
    problem_ = std::make_unique<ceres::Problem>(options);
    std::vector<double*> blocks;
    for (double& u : variables_) {
      problem_->AddParameterBlock(&u, 1);
      blocks.push_back(&u);
    }
    for (std::size_t i = 0; i < functions.count(); ++i) {
      data_.push_back(
          problem_->AddResidualBlock(functions.make(i, sigma[i], parameters), &loss_, blocks));
    }
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (parameters[k].given) {
        problem_->SetParameterBlockConstant(blocks[k]);
      } else if (parameters[k].prior_sd > 0) {
        problem_->AddResidualBlock(new PriorResidual(parameters[k]), nullptr, blocks[k]);
      }
    }
  }

  const std::vector<double>& variables() const { return variables_; }
  // In place: the problem points at the variables.
  void set(const std::vector<double>& values) {
    std::copy(values.begin(), values.end(), variables_.begin());
  }

  ceres::Solver::Summary solve(int max_iterations, double tolerance) {
    ceres::Solver::Options options;
    options.linear_solver_type = ceres::DENSE_QR;
    options.max_num_iterations = max_iterations;
    options.function_tolerance = tolerance;
    options.num_threads = 1;  // the order of sums, and so every bit of the result, is fixed
    options.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(options, problem_.get(), &summary);
    return summary;
  }

  // Residuals in units of their sigma, without the robust loss.
  std::vector<double> residuals() {
    ceres::Problem::EvaluateOptions options;
    options.residual_blocks = data_;
    options.apply_loss_function = false;
    std::vector<double> out;
    problem_->Evaluate(options, nullptr, &out, nullptr, nullptr);
    return out;
  }

  // Holds a variable where it is.
  void freeze(std::size_t k) { problem_->SetParameterBlockConstant(&variables_[k]); }

  // Of the free variables; false if they are not determined.
  bool covariance(std::vector<double>& out) {
    ceres::Covariance::Options options;
    options.algorithm_type = ceres::DENSE_SVD;
    options.null_space_rank = 0;  // a direction without information is a refusal, not a zero
    options.apply_loss_function = true;
    const QuietLog quiet;
    ceres::Covariance covariance(options);
    std::vector<const double*> blocks;
    for (const double& u : variables_) blocks.push_back(&u);
    if (!covariance.Compute(blocks, problem_.get())) return false;
    out.assign(blocks.size() * blocks.size(), 0.0);
    return covariance.GetCovarianceMatrix(blocks, out.data());
  }

 private:
  const std::vector<FitParameter>& parameters_;
  std::vector<double> variables_;
  ceres::SoftLOneLoss loss_;
  std::unique_ptr<ceres::Problem> problem_;
  std::vector<ceres::ResidualBlockId> data_;
};

// Start 0 is the centre of the priors, the others are draws from them.
std::vector<double> start_of(const std::vector<FitParameter>& parameters, int start,
                             std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> out;
  for (const FitParameter& p : parameters) {
    const double sd = p.prior_sd > 0 ? p.prior_sd : 1.0;
    const double draw = start == 0 || p.given ? 0.0 : sd * normal(random);
    out.push_back(variable_of(p, to_coordinate(p.scale, p.center) + draw));
  }
  return out;
}

// chi^2 per degree of freedom of the robustified residuals, at least 1: a fit that is worse than
// its sigmas say has parameters that are worse too.
double overdispersion(const std::vector<double>& residuals, std::size_t unknowns) {
  double chi2 = 0;
  for (const double r : residuals) chi2 += 2 * (std::sqrt(1 + r * r) - 1);
  const double freedom = static_cast<double>(residuals.size()) - static_cast<double>(unknowns);
  return freedom < 1 ? std::max(1.0, chi2) : std::max(1.0, chi2 / freedom);
}

// Within 1 % of the range between its limits a parameter is at the limit: the derivative there says
// nothing about its error.
bool is_at_limit(const FitParameter& parameter, double u) {
  const double share = 1 / (1 + std::exp(-u));
  return parameter.lower && (share < 0.01 || share > 0.99);
}

// Covariance of the coordinates from that of the free variables, and what the data left open. A
// parameter at its limit keeps the error of its prior.
void state_errors(const std::vector<FitParameter>& parameters, const std::vector<double>& variables,
                  double scale, LeastSquaresResult& out) {
  constexpr double kPriorShare = 0.9;  // of the prior's sd that is left
  const std::size_t n = parameters.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      out.covariance[i * n + j] *=
          scale * slope(parameters[i], variables[i]) * slope(parameters[j], variables[j]);
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    const FitParameter& p = parameters[k];
    if (p.given) continue;
    if (is_at_limit(p, variables[k])) {
      out.at_limit.push_back(p.name);
      out.covariance[k * n + k] = p.prior_sd * p.prior_sd;
      continue;
    }
    const double sd = std::sqrt(out.covariance[k * n + k]);
    if (p.prior_sd > 0 && sd > kPriorShare * p.prior_sd * std::sqrt(scale)) {
      out.left_to_prior.push_back(p.name);
      if (p.required) out.required_but_unknown.push_back(p.name);
    }
  }
}

}  // namespace

LeastSquaresResult solve_least_squares(const std::vector<FitParameter>& parameters,
                                       const ResidualFunctions& functions,
                                       const std::vector<double>& sigma,
                                       const LeastSquaresOptions& options) {
  PACELINE_ASSERT(sigma.size() == functions.count(), "one sigma per residual");
  LeastSquaresResult out;
  const auto unknowns = static_cast<std::size_t>(std::count_if(
      parameters.begin(), parameters.end(), [](const FitParameter& p) { return !p.given; }));
  Fitter fitter(parameters, functions, sigma);
  std::mt19937 random(options.seed);
  std::vector<double> best;
  std::vector<double> costs;
  for (int start = 0; start < options.starts; ++start) {
    fitter.set(start_of(parameters, start, random));
    const ceres::Solver::Summary summary = fitter.solve(options.max_iterations, options.tolerance);
    if (summary.termination_type == ceres::FAILURE) {
      if (out.termination.empty()) out.termination = "no start could be evaluated";
      continue;
    }
    costs.push_back(summary.final_cost);
    if (best.empty() || summary.final_cost < out.cost) {
      best = fitter.variables();
      out.cost = summary.final_cost;
      out.converged = summary.termination_type == ceres::CONVERGENCE;
      out.termination = out.converged ? "converged"
                                      : "not converged after " +
                                            std::to_string(options.max_iterations) + " iterations";
    }
  }
  out.starts = options.starts;
  if (best.empty()) return out;
  out.agreeing_starts = static_cast<int>(std::count_if(
      costs.begin(), costs.end(), [&](double c) { return c <= out.cost * 1.01 + 1e-9; }));

  fitter.set(best);
  const std::vector<double> weighted = fitter.residuals();
  for (std::size_t i = 0; i < weighted.size(); ++i) out.residuals.push_back(weighted[i] * sigma[i]);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const FitParameter& p = parameters[k];
    out.values.push_back(p.given ? p.center : value_of(p, coordinate_of(p, best[k])));
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].given && is_at_limit(parameters[k], best[k])) fitter.freeze(k);
  }
  if (!fitter.covariance(out.covariance)) {
    out.converged = false;
    out.termination = "no covariance: the parameters are not determined by the data";
    return out;
  }
  state_errors(parameters, best, overdispersion(weighted, unknowns), out);
  return out;
}

}  // namespace paceline
