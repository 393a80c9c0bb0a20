// A fit made ready to price many kernels: its formula found, its parameters in the formula's order,
// its covariance scaled to the parameters, its domain and its texts laid out. Pricing a kernel then
// looks nothing up by name and allocates nothing.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "model/cost/cost_model.h"
#include "model/cost/shape_quantities.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

struct FormulaEntry;

class PreparedFit {
 public:
  // `fit` must outlive this. Throws InputError if it names an unknown formula, or lacks or repeats
  // one of its parameters.
  PreparedFit(const Fit& fit, const ParameterSet& set);

  struct Price {
    Seconds time;
    Bound bound = Bound::kLatency;
    double shared_sd = 0;
    double own_sd = 0;
    std::string_view outside;  // of what the fit has seen, in this quantity; "" if inside
  };
  // Throws what the formula's inputs throw (formula_inputs.h). A time that is not below `limit` may
  // be returned as infinity, for a part of the work.
  Price price(const Kernel& kernel, const ExecutionContext& context,
              Seconds limit = Seconds(std::numeric_limits<double>::infinity())) const;

  const Fit& fit() const { return *fit_; }
  const std::vector<double>& values() const { return values_; }  // in the formula's order
  // "fit openblas.sgemm of cpu, 2026-11-30"
  const std::string& source() const { return source_; }

 private:
  double parameter_variance(const double* log_gradient) const;

  const Fit* fit_;
  const FormulaEntry* formula_;
  std::vector<double> values_;
  // Of ln(time)'s derivatives in `values_`: row by row from the diagonal on, what lies beside it
  // doubled. Empty if nothing was fitted.
  std::vector<double> covariance_;
  FitDomain domain_;
  std::string source_;
};

// Variance of ln(time) by parameter error alone.
double parameter_variance(const FormulaEntry& formula, const Kernel& kernel,
                          const ExecutionContext& context, const std::vector<double>& values,
                          const std::vector<ParameterScale>& scales,
                          const std::vector<double>& covariance);

}  // namespace paceline
