#include "calibration/gpu/attention_gradient.h"

#include <cmath>

#include "core/error.h"

namespace paceline {
namespace {

constexpr char kForward[] = "gpu.attention.forward";
constexpr char kBackward[] = "gpu.attention.backward";

// Difference of two fits, backward minus forward, with its variance; the launch stays as it is.
struct Difference {
  std::vector<double> shift;
  std::vector<double> variance;
};

Difference difference_of(const Fit& backward, const Fit& forward) {
  Difference out;
  for (std::size_t k = 0; k < forward.parameters.size(); ++k) {
    const Parameter& f = forward.parameters[k];
    const Parameter& b = backward.parameters[k];
    const bool is_launch = f.name == "launch";
    out.shift.push_back(
        is_launch ? 0.0 : to_coordinate(b.scale, b.value) - to_coordinate(f.scale, f.value));
    out.variance.push_back(is_launch ? 0.0 : b.std_error * b.std_error + f.std_error * f.std_error);
  }
  return out;
}

Fit shifted(const Fit& forward, const Difference& difference, const FitQuality& older) {
  Fit out = forward;
  out.implementation = kBackward;
  out.domain.clear();
  const std::size_t n = out.parameters.size();
  for (std::size_t k = 0; k < n; ++k) {
    Parameter& p = out.parameters[k];
    p.value = from_coordinate(p.scale, to_coordinate(p.scale, p.value) + difference.shift[k]);
    out.covariance[k * n + k] += difference.variance[k];
    p.std_error = std::sqrt(out.covariance[k * n + k]);
  }
  out.quality = {};
  out.quality.shared_sd = std::hypot(forward.quality.shared_sd, older.shared_sd);
  out.quality.own_sd = std::hypot(forward.quality.own_sd, older.own_sd);
  return out;
}

}  // namespace

FamilyFit derive_attention_gradient(const FamilyFit& forward,
                                    const std::vector<GpuObservation>& older_forward,
                                    const std::vector<GpuObservation>& older_backward,
                                    const GpuFitOptions& options) {
  const FitResult f = fit_observations(kForward, older_forward, options);
  const FitResult b = fit_observations(kBackward, older_backward, options);
  PACELINE_ASSERT(f.usable && b.usable, "both passes of the older library are described");
  const Difference difference = difference_of(b.fit, f.fit);
  FamilyFit out;
  out.family = kBackward;
  for (const auto& [architecture, fit] : forward.architectures) {
    out.architectures[architecture] = shifted(fit, difference, b.fit.quality);
  }
  out.note =
      "Derived: the forward pass of this table's devices, shifted by the difference of the two "
      "passes of FlashAttention 1 on A100. Fit of that backward pass on shapes it did not "
      "see: " +
      std::to_string(b.fit.quality.held_out) + " shapes, median error " +
      std::to_string(static_cast<int>(std::lround(100 * b.fit.quality.held_out_median_ape))) +
      " %, 90th percentile " +
      std::to_string(static_cast<int>(std::lround(100 * b.fit.quality.held_out_p90_ape))) + " %.";
  return out;
}

}  // namespace paceline
