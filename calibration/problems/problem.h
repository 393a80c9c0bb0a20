// One kind of fit: which measurements it uses, which formula it fits, and what is believed about
// the parameters beforehand. One file of this folder each (extending: docs/extending.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/kernel_fit.h"
#include "core/registry.h"
#include "traces/measurement/measurement.h"

namespace paceline {

class FitProblem {
 public:
  virtual ~FitProblem() = default;
  // One problem per implementation found among the measurements; none if there are none.
  virtual std::vector<KernelProblem> problems(const MeasurementSet& measurements) const = 0;
};

using ProblemRegistry = Registry<FitProblem>;

// Fills `registry` with every file of calibration/problems/.
void register_all(ProblemRegistry& registry);

// The parameters of a formula with their priors, by name:
//
//   Priors priors("cpu.gemm/1");
//   priors.set("flop_rate", {.center = 1e11, .sd = 0.3, .required = true});
//   problem.parameters = priors.parameters();   // asserts that every parameter has been set
class Priors {
 public:
  struct Prior {
    double center = 1;  // SI units
    double sd = 1;      // of the coordinate: ln for positive parameters, logit for fractions
    bool required = false;
  };

  explicit Priors(const std::string& formula) : formula_(formula) {}
  void set(const std::string& name, Prior prior);
  // Not fitted.
  void give(const std::string& name, double value);
  std::vector<FitParameter> parameters() const;

 private:
  std::string formula_;
  std::map<std::string, FitParameter> set_;
};

// Crude values from the measurements themselves, to centre priors on: the fastest rate at which any
// single-threaded observation did its FLOP, or moved its bytes with operands in or out of the
// caches. 0 if there is no such observation.
double best_flop_rate(const std::vector<Observation>& observations);
double best_bandwidth(const std::vector<Observation>& observations, bool cold);

// Seconds of an empty parallel region on all threads measured ("openmp.fork_join"); 0 if absent.
double fork_time(const MeasurementSet& measurements);

}  // namespace paceline
