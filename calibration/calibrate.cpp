#include "calibration/calibrate.h"

#include <algorithm>
#include <set>

#include "calibration/observations.h"
#include "calibration/problems/problem.h"
#include "calibration/report/fit_report.h"
#include "calibration/report/residual_plot.h"
#include "core/error.h"
#include "core/names.h"
#include "core/table.h"
#include "core/units_text.h"
#include "simulator/device/kernel_of.h"

namespace paceline {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& other) {
    return normalized_name(other) == normalized_name(name);
  });
}

std::vector<KernelProblem> selected_problems(const MeasurementSet& measurements,
                                             const std::vector<std::string>& only) {
  ProblemRegistry registry("fit");
  register_all(registry);
  std::vector<KernelProblem> out;
  std::vector<std::string> known;
  for (const auto& entry : registry.entries()) {
    known.push_back(entry.name);
    for (KernelProblem& problem : entry.make()->problems(measurements)) {
      known.push_back(problem.implementation);
      if (only.empty() || contains(only, entry.name) || contains(only, problem.implementation)) {
        out.push_back(std::move(problem));
      }
    }
  }
  for (const std::string& name : only) {
    if (!contains(known, name)) throw UsageError(unknown_name_message("fit", name, known));
  }
  return out;
}

// What the fits have seen. With a second fit on all shapes that is every shape.
std::vector<std::string> fitted_shapes(const std::vector<KernelProblem>& problems,
                                       const std::vector<FitResult>& fits) {
  std::set<std::string> out;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const bool all = fits[i].fit.quality.refit_on_all;
    for (std::size_t k = 0; k < fits[i].samples.size(); ++k) {
      if (!all && fits[i].samples[k].held_out) continue;
      out.insert(fitted_shape_text(problems[i].observations[k].kernel));
    }
  }
  return {out.begin(), out.end()};
}

// Why there is no kernel: nothing measured, or nothing that could be trusted.
std::string nothing_to_fit(const MeasurementSet& measurements) {
  std::size_t noisy = 0, unchecked = 0, skipped = 0;
  double foreign = 0;
  for (const Measurement& m : measurements.results) {
    skipped += m.skipped ? 1 : 0;
    if (m.skipped || !kernel_of(m)) continue;
    if (!m.result_checked) ++unchecked;
    if (m.accepted_rounds() > 0) continue;
    ++noisy;
    for (const MeasurementRound& round : m.rounds) foreign = std::max(foreign, round.foreign_cpu);
  }
  if (noisy > 0) {
    return "the machine was too busy: no round of the " + std::to_string(noisy) +
           " kernels measured was accepted (others used up to " + significant(foreign, 2) +
           " processors meanwhile); measure again when it is quiet";
  }
  if (unchecked > 0) {
    return "the results of the " + std::to_string(unchecked) +
           " kernels measured were not checked, so their times are not trusted";
  }
  return "the measurements hold no kernel that can be fitted" +
         (skipped > 0 ? " (" + std::to_string(skipped) + " were skipped)" : std::string()) +
         "; measure some with: paceline measure --device cpu -o measurements.json";
}

}  // namespace

CalibrationResult calibrate(const MeasurementSet& measurements, const CalibrateOptions& options) {
  const std::vector<KernelProblem> problems = selected_problems(measurements, options.only);
  if (problems.empty()) throw InputError(nothing_to_fit(measurements));
  CalibrationResult out;
  out.parameters.device = options.device;
  out.parameters.provenance = make_provenance("paceline calibrate", options.argv);
  out.parameters.provenance.host = measurements.provenance.host;
  out.parameters.provenance.libraries = measurements.provenance.libraries;
  out.parameters.provenance.environment = measurements.provenance.environment;
  out.parameters.sources = options.sources;
  for (const KernelProblem& problem : problems) {
    FitResult fit = fit_kernel(problem, options.fit);
    const std::string& name = problem.implementation;
    if (fit.usable) {
      out.parameters.fits.push_back(fit.fit);
    } else {
      out.refused[name] = out.parameters.refused[name] = fit.termination;
    }
    if (!fit.samples.empty()) out.plots[name] = residual_plot(name, fit.samples);
    out.fits.push_back(std::move(fit));
  }
  out.parameters.fitted_shapes = fitted_shapes(problems, out.fits);
  out.report = fit_summary(out.fits);
  for (const FitResult& fit : out.fits) out.report += "\n" + fit.report;
  return out;
}

}  // namespace paceline
