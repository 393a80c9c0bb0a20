// Matrix products of a packing BLAS: cpu.gemm/1, all layouts and thread counts together.
#include "calibration/observations.h"
#include "calibration/problems/problem.h"

namespace paceline {
namespace {

const std::string kGemmImplementation = "openblas.sgemm";
const std::string kGemmFormula = "cpu.gemm/1";

// Centres are orders of magnitude for any CPU of the last ten years, or come from the measurements;
// the standard deviations leave the data to decide.
std::vector<FitParameter> gemm_parameters(const std::vector<Observation>& observations,
                                          double fork) {
  Priors priors(kGemmFormula);
  priors.set("call", {.center = 5e-7});
  // A few dozen misses in a row before anything streams.
  priors.set("cold_call", {.center = 1e-6});
  priors.set("fork", {.center = fork > 0 ? fork : 5e-6});
  priors.set("flop_rate", {.center = best_flop_rate(observations), .sd = 0.3, .required = true});
  for (const char* name : {"tile_m", "tile_n", "tile_k", "grain"}) priors.give(name, 1);
  // About half a register tile is lost at a ragged edge (tiles are 4 to 16 wide).
  priors.set("edge_m", {.center = 6, .sd = 0.7});
  priors.set("edge_n", {.center = 3, .sd = 0.7});
  priors.set("edge_k", {.center = 4, .sd = 0.7});
  // Packing runs at the speed of a copy in cache, some 30 GB/s; a gather is slower by a third.
  for (const char* move : {"move_a", "move_b", "move_c"}) priors.set(move, {.center = 3e-11});
  priors.set("revisit_c", {.center = 3e-11});
  priors.set("trans_a", {.center = 0.3, .sd = 0.3});
  priors.set("trans_b", {.center = 0.3, .sd = 0.3});
  // Blocks along k are a few hundred long (Goto and van de Geijn 2008, table 2).
  priors.set("depth", {.center = 384, .sd = 0.4});
  // Memory delivers 10 to 30 GB/s to one core.
  priors.set("far_in", {.center = 7e-11, .sd = 0.7});
  priors.set("far_out", {.center = 7e-11, .sd = 0.7});
  priors.set("cache_capacity", {.center = 1e7, .sd = 0.7});
  priors.set("cache_sharpness", {.center = 3, .sd = 0.4});
  priors.set("contention", {.center = 0.05, .sd = 1, .required = false});
  priors.set("memory_contention", {.center = 0.3, .sd = 1});
  priors.set("out_contention", {.center = 0.3, .sd = 1});
  priors.give("direct_limit", 1);
  priors.set("direct", {.center = 0, .sd = 0.2});
  priors.set("direct_trans_a", {.center = 0, .sd = 0.4});
  return priors.parameters();
}

// Register tiles, the largest product that is not packed and the smallest that is shared out are
// facts of the library's kernels for a processor; they are found by trying the usual ones.
std::vector<std::map<std::string, double>> alternatives() {
  std::vector<std::map<std::string, double>> out;
  for (const double tile_m : {4.0, 8.0, 16.0}) {
    for (const double tile_n : {4.0, 8.0}) {
      for (const double direct_limit : {1.0, 2e6}) {
        for (const double grain : {1.0, 5e5, 4e6}) {
          out.push_back({{"tile_m", tile_m},
                         {"tile_n", tile_n},
                         {"tile_k", 4.0},
                         {"direct_limit", direct_limit},
                         {"grain", grain}});
        }
      }
    }
  }
  return out;
}

class Gemm : public FitProblem {
 public:
  std::vector<KernelProblem> problems(const MeasurementSet& measurements) const override {
    KernelProblem problem;
    problem.implementation = kGemmImplementation;
    problem.formula = kGemmFormula;
    problem.observations = observations_of(measurements, kGemmImplementation);
    if (problem.observations.empty()) return {};
    problem.parameters = gemm_parameters(problem.observations, fork_time(measurements));
    problem.alternatives = alternatives();
    return {problem};
  }
};

}  // namespace

void register_gemm(ProblemRegistry& registry) {
  registry.add("gemm", "matrix products: register tiles, packing, cache misses, threads",
               [] { return std::make_unique<const Gemm>(); });
}

}  // namespace paceline
