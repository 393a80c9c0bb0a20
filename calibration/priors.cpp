#include <algorithm>
#include <cmath>

#include "calibration/problems/problem.h"
#include "core/error.h"
#include "model/cost/formulas.h"
#include "simulator/device/kernel_of.h"

namespace paceline {
namespace {

const formula::Declaration& declaration(const std::string& formula, const std::string& name) {
  const auto declared = kernel_formula(formula).parameters;
  const auto it = std::find_if(declared.begin(), declared.end(),
                               [&](const formula::Declaration& d) { return d.name == name; });
  PACELINE_ASSERT(it != declared.end(), "a prior names a parameter of its formula");
  return *it;
}

bool is_cold(const Observation& o) { return std::isinf(o.context.reuse_distance.si()); }

}  // namespace

void Priors::set(const std::string& name, Prior prior) {
  const formula::Declaration& declared = declaration(formula_, name);
  set_[name] = {.name = name,
                .unit = std::string(declared.unit),
                .scale = scale_of(declared.domain),
                .center = prior.center,
                .prior_sd = prior.sd,
                .required = prior.required};
}

void Priors::give(const std::string& name, double value) {
  const formula::Declaration& declared = declaration(formula_, name);
  set_[name] = {.name = name,
                .unit = std::string(declared.unit),
                .scale = ParameterScale::kLinear,
                .center = value,
                .given = true};
}

std::vector<FitParameter> Priors::parameters() const {
  std::vector<FitParameter> out;
  for (const formula::Declaration& declared : kernel_formula(formula_).parameters) {
    const auto it = set_.find(std::string(declared.name));
    PACELINE_ASSERT(it != set_.end(), "every parameter of a formula has a prior or is given");
    out.push_back(it->second);
  }
  return out;
}

double best_flop_rate(const std::vector<Observation>& observations) {
  double best = 0;
  for (const Observation& o : observations) {
    if (o.context.threads != 1) continue;
    best = std::max(best, (kernel_flops(o.kernel.shape) / o.measured).si());
  }
  return best;
}

double best_bandwidth(const std::vector<Observation>& observations, bool cold) {
  double best = 0;
  for (const Observation& o : observations) {
    if (o.context.threads != 1 || is_cold(o) != cold) continue;
    best = std::max(best, (kernel_bytes(o.kernel.shape, o.kernel.precision) / o.measured).si());
  }
  return best;
}

double fork_time(const MeasurementSet& measurements) {
  double most = 0;
  for (const Measurement& m : measurements.results) {
    if (m.benchmark != "openmp.fork_join" || m.skipped || m.accepted_rounds() == 0) continue;
    if (context_of(m).threads > 1) most = std::max(most, m.value().si());
  }
  return most;
}

}  // namespace paceline
