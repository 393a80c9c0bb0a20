// Direct convolutions: cpu.convolution/1, one fit per pass, all thread counts together.
#include "calibration/observations.h"
#include "calibration/problems/problem.h"

namespace paceline {
namespace {

const std::string kConvolutionImplementation = "onednn.conv";
const std::string kConvolutionFormula = "cpu.convolution/1";

std::vector<FitParameter> convolution_parameters(const std::vector<Observation>& observations,
                                                 double fork) {
  Priors priors(kConvolutionFormula);
  priors.set("call", {.center = 2e-6});
  priors.set("fork", {.center = fork > 0 ? fork : 5e-6});
  priors.set("flop_rate", {.center = best_flop_rate(observations), .sd = 0.3, .required = true});
  priors.give("block", 1);
  priors.set("edge_h", {.center = 0.2, .sd = 1});
  priors.set("edge_w", {.center = 0.3, .sd = 1});
  priors.set("class_pointwise", {.center = 0, .sd = 0.2});
  priors.set("class_strided", {.center = 0, .sd = 0.2});
  priors.set("class_first", {.center = 0, .sd = 0.3});
  priors.set("image_move", {.center = 4e-11, .sd = 0.7});
  priors.set("filter_move", {.center = 4e-11, .sd = 0.7});
  priors.set("cache_hit", {.center = 0.3, .sd = 0.7});
  priors.set("cache_capacity", {.center = 1e7, .sd = 0.7});
  priors.set("cache_sharpness", {.center = 3, .sd = 0.4});
  priors.set("contention", {.center = 0.05, .sd = 1});
  priors.set("memory_contention", {.center = 0.3, .sd = 1});
  return priors.parameters();
}

class Convolution : public FitProblem {
 public:
  std::vector<KernelProblem> problems(const MeasurementSet& measurements) const override {
    std::map<std::string, KernelProblem> by_pass;
    for (const Observation& o : observations_of(measurements, kConvolutionImplementation)) {
      const std::string pass(to_string(std::get<ConvShape>(o.kernel.shape).pass));
      by_pass[pass].observations.push_back(o);
    }
    std::vector<KernelProblem> out;
    for (auto& [pass, problem] : by_pass) {
      problem.implementation = kConvolutionImplementation + "." + pass;
      problem.formula = kConvolutionFormula;
      problem.parameters = convolution_parameters(problem.observations, fork_time(measurements));
      // Channels come in blocks of one vector register: none, 128, 256 or 512 bits of fp32.
      for (const double block : {1.0, 4.0, 8.0, 16.0}) {
        problem.alternatives.push_back({{"block", block}});
      }
      out.push_back(std::move(problem));
    }
    return out;
  }
};

}  // namespace

void register_convolution(ProblemRegistry& registry) {
  registry.add("convolution", "direct convolutions: channel blocks, filter classes, traffic",
               [] { return std::make_unique<const Convolution>(); });
}

}  // namespace paceline
