// Bandwidth-bound operations: cpu.stream/1, one fit per operation.
#include <algorithm>
#include <cmath>

#include "calibration/observations.h"
#include "calibration/problems/problem.h"

namespace paceline {
namespace {

const std::string kStreamFormula = "cpu.stream/1";

bool has_rows(const std::vector<Observation>& observations) {
  return std::any_of(observations.begin(), observations.end(), [](const Observation& o) {
    return std::get<StreamShape>(o.kernel.shape).row > 0;
  });
}

// What all operations of a machine share: its memory system. Bandwidths are centred on the fastest
// operation in the file (an operation's own traffic, such as reading what it overwrites, sets it
// below that); the caches on those of the operation with the most measurements.
struct Machine {
  double near = 0;
  double far = 0;
  double fork = 0;
  std::map<std::string, Priors::Prior> caches;  // by parameter
};
const std::vector<std::string> kCacheParameters = {"cache_sharpness", "memory_contention"};

std::vector<FitParameter> stream_parameters(const std::vector<Observation>& observations,
                                            const Machine& machine) {
  Priors priors(kStreamFormula);
  priors.set("call", {.center = 5e-7});
  // A few dozen misses in a row before anything streams.
  priors.set("cold_call", {.center = 1e-6});
  priors.set("fork", {.center = machine.fork > 0 ? machine.fork : 5e-6});
  // From a vectorised addition (0.03 ns) to a scalar transcendental function (3 ns).
  priors.set("element_time", {.center = 2e-10, .sd = 1.5});
  if (has_rows(observations)) {
    priors.set("row_time", {.center = 1e-8, .sd = 1.5});
    priors.set("window_time", {.center = 1e-9, .sd = 1.5});
  } else {
    priors.give("row_time", 0);
    priors.give("window_time", 0);
  }
  priors.set("near_bandwidth", {.center = 0.6 * machine.near, .sd = 0.5});
  priors.set("mid_bandwidth", {.center = 0.4 * machine.near, .sd = 0.5});
  priors.set("far_bandwidth", {.center = 0.6 * machine.far, .sd = 0.5});
  // Caches of a core hold 0.25 to 2 MB, shared ones tens, of which a guest gets a part.
  priors.set("private_cache", {.center = 1e6, .sd = 0.7});
  priors.set("shared_cache", {.center = 1e7, .sd = 0.7});
  priors.set("cache_sharpness", {.center = 3, .sd = 0.4});
  priors.set("memory_contention", {.center = 0.5, .sd = 1.5});
  priors.set("parallel_share", {.center = 0.9, .sd = 1.5});
  priors.give("grain", 1);
  priors.set("overlap", {.center = 1, .sd = 0.7});
  for (const auto& [name, prior] : machine.caches) priors.set(name, prior);
  return priors.parameters();
}

// How many elements a thread gets at least, and whether a row costs once (a sum, a normalisation)
// or by its length (a pooling window), is found by trying.
std::vector<std::map<std::string, double>> alternatives(
    const std::vector<Observation>& observations) {
  std::vector<std::map<std::string, double>> out;
  for (const double grain : {1.0, 4096.0, 32768.0}) {
    if (has_rows(observations)) {
      out.push_back({{"grain", grain}, {"window_time", 0.0}});
      out.push_back({{"grain", grain}, {"row_time", 0.0}});
    } else {
      out.push_back({{"grain", grain}});
    }
  }
  return out;
}

// Mean of what single operations say about one parameter, by their certainty; operations may differ
// from it by a quarter. Nothing if none says more than the prior.
class Consensus {
 public:
  void add(double coordinate, double sd) {
    const double weight = 1 / (sd * sd + kBetweenOperations * kBetweenOperations);
    sum_ += weight * coordinate;
    weights_ += weight;
  }
  bool is_known() const { return weights_ > 0; }
  double coordinate() const { return sum_ / weights_; }
  double sd() const { return std::hypot(kBetweenOperations, 1 / std::sqrt(weights_)); }

 private:
  static constexpr double kBetweenOperations = 0.25;
  double sum_ = 0;
  double weights_ = 0;
};

// The memory system as all operations together see it. The shapes that each fit holds out are not
// used here either.
std::map<std::string, Priors::Prior> caches_of(const std::vector<KernelProblem>& problems) {
  constexpr double kInformative = 0.7;  // of the prior's sd that may be left
  KernelFitOptions options;
  options.solver.starts = 2;
  options.refit_on_all = false;
  std::map<std::string, Consensus> consensus;
  std::map<std::string, ParameterScale> scales;
  for (const KernelProblem& problem : problems) {
    const FitResult fit = fit_kernel(problem, options);
    if (!fit.usable) continue;
    for (const FitParameter& prior : problem.parameters) {
      if (std::find(kCacheParameters.begin(), kCacheParameters.end(), prior.name) ==
          kCacheParameters.end()) {
        continue;
      }
      const Parameter& p = fit.fit.parameter(prior.name);
      scales[prior.name] = p.scale;
      if (p.std_error > 0 && p.std_error < kInformative * prior.prior_sd) {
        consensus[prior.name].add(to_coordinate(p.scale, p.value), p.std_error);
      }
    }
  }
  std::map<std::string, Priors::Prior> out;
  for (const auto& [name, known] : consensus) {
    if (!known.is_known()) continue;
    out[name] = {.center = from_coordinate(scales.at(name), known.coordinate()), .sd = known.sd()};
  }
  return out;
}

class Stream : public FitProblem {
 public:
  std::vector<KernelProblem> problems(const MeasurementSet& measurements) const override {
    Machine machine;
    machine.fork = fork_time(measurements);
    std::vector<KernelProblem> out;
    for (const std::string& benchmark : measured_benchmarks(measurements)) {
      KernelProblem problem;
      problem.implementation = benchmark;
      problem.formula = kStreamFormula;
      problem.observations = observations_of(measurements, benchmark);
      if (problem.observations.empty()) continue;
      if (!std::holds_alternative<StreamShape>(problem.observations[0].kernel.shape)) continue;
      machine.near = std::max(machine.near, best_bandwidth(problem.observations, false));
      machine.far = std::max(machine.far, best_bandwidth(problem.observations, true));
      out.push_back(std::move(problem));
    }
    if (machine.near == 0) machine.near = machine.far;
    if (machine.far == 0) machine.far = machine.near;
    const auto set_parameters = [&] {
      for (KernelProblem& problem : out) {
        problem.parameters = stream_parameters(problem.observations, machine);
        problem.alternatives = alternatives(problem.observations);
      }
    };
    set_parameters();
    if (out.size() > 1) {
      machine.caches = caches_of(out);
      set_parameters();
    }
    return out;
  }
};

}  // namespace

void register_stream(ProblemRegistry& registry) {
  registry.add("stream", "bandwidth-bound operations: traffic, caches, elements, rows, threads",
               [] { return std::make_unique<const Stream>(); });
}

}  // namespace paceline
