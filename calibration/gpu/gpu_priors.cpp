#include "calibration/gpu/gpu_priors.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/error.h"
#include "core/names.h"
#include "model/cost/formulas.h"
#include "model/cost/gpu_family.h"

namespace paceline {
namespace {

struct Belief {
  double center;
  double sd;                    // on the parameter's scale: ln, logit or linear
  double lower = 0, upper = 0;  // both 0: no limits
};

// Parameters that mean the same in every family.
const std::map<std::string_view, Belief> kCommon = {
    {"compute_share", {0.75, 0.3}},
    {"wave", {0.5, 1.0}},
    {"split_cost", {2e-6, 0.6}},
    {"overlap", {2.0, 0.5, 0.2, 10}},
    {"saturation", {0.5, 0.5}},
    {"memory_share", {0.75, 0.2}},
    {"cache_fit", {0.3, 0.6}},
    // Recalled: V100's cache was read at 19 bytes per clock and multiprocessor (Jia et al., arXiv
    // 1804.06826), of which its memory gives 7; ports are 64 bytes wide.
    {"cache_rate", {12.0, 0.5, 1, 64}},
    {"layout_nn", {0.0, 0.15}},
    {"layout_nt", {0.0, 0.15}},
    {"unaligned", {0.3, 0.4}},
    {"pointwise", {0.2, 0.3}},
    {"strided", {0.1, 0.3}},
    {"image", {0.5, 0.5}},
    {"winograd", {0.5, 0.4}},
    {"winograd_staged", {0.5, 0.4}},
    {"fft", {0.7, 0.5}},
    {"depthwise_share", {0.4, 0.4}},
    {"exponentials", {12.0, 0.4}},
    {"element_work", {2.0, 1.5}},
    {"row_work", {100.0, 1.5}},
    {"step", {30e-6, 0.8}},
    {"half_batch", {32.0, 1.0}},
    {"persistent_step", {6e-6, 0.5}},  // recalled: 5 to 10 us
    {"depth", {15.0, 1.0}},
    {"slices", {50.0, 0.7}},
};

// A recurrent layer's call starts several kernels.
constexpr Belief kLaunchesOfALayer = {40e-6, 0.3};

// A row with a block of 128 threads to itself: some 200 instructions of each to join their means
// and variances, and some 15 for an element that joins a thread's.
constexpr Belief kWorkOfABlock = {5e4, 1.0};
constexpr Belief kWorkOfAnUpdate = {30.0, 1.0};

Belief belief_of(std::string_view name, std::string_view family, Timing timing) {
  const bool on_matrix_units = family.find("vector") == std::string_view::npos;
  if (family == "gpu.stream.normalization") {
    if (name == "row_work") return kWorkOfABlock;
    if (name == "element_work") return kWorkOfAnUpdate;
  }
  if (name == "launch" && family.starts_with("gpu.rnn")) return kLaunchesOfALayer;
  if (name == "launch") return {timing == Timing::kDevice ? 2.5e-6 : 30e-6, 0.5};
  // A tile's operand traffic and pipeline depth in products of K: matrix units consume them faster.
  if (name == "feed") return {on_matrix_units ? 13.0 : 3.2, 0.8};
  if (name == "prologue") return {on_matrix_units ? 128.0 : 64.0, 0.7};
  const auto found = kCommon.find(name);
  PACELINE_ASSERT(found != kCommon.end(), "every parameter of a GPU formula has a prior");
  return found->second;
}

}  // namespace

std::vector<FitParameter> gpu_priors(std::string_view family, Timing timing) {
  const auto families = gpu_families();
  const auto found = std::find_if(families.begin(), families.end(),
                                  [&](const GpuFamily& f) { return f.name == family; });
  if (found == families.end()) {
    std::vector<std::string> names;
    for (const GpuFamily& f : families) names.emplace_back(f.name);
    throw InputError(unknown_name_message("GPU kernel family", family, names));
  }
  std::vector<FitParameter> out;
  for (const formula::Declaration& declared : kernel_formula(found->formula).parameters) {
    const Belief belief = belief_of(declared.name, family, timing);
    FitParameter parameter{.name = std::string(declared.name),
                           .unit = std::string(declared.unit),
                           .scale = scale_of(declared.domain),
                           .center = belief.center,
                           .prior_sd = belief.sd};
    if (belief.upper > 0) {
      parameter.lower = belief.lower;
      parameter.upper = belief.upper;
    }
    out.push_back(std::move(parameter));
  }
  return out;
}

}  // namespace paceline
