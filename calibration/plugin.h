// The fits as commands call them: a plug-in (core/plugin.h), because Ceres brings sparse solvers
// and a BLAS of its own, which would slow the start of every command and, loaded first, replace the
// BLAS that `paceline measure` measures.
#pragma once

#include "calibration/calibrate.h"
#include "calibration/collective/collective.h"
#include "calibration/host.h"
#include "calibration/recipe_run.h"

namespace paceline {

struct CalibrationPlugin {
  CalibrationResult (*calibrate)(const MeasurementSet&, const CalibrateOptions&) = nullptr;
  CalibrationResult (*calibrate_gpu)(const MeasurementSet&, const CalibrateOptions&) = nullptr;
  Fit (*fit_host)(const Recording&, const ParameterSet&) = nullptr;
  std::vector<CollectivePoint> (*collective_points)(const std::vector<Measurement>&) = nullptr;
  CollectiveFitResult (*fit_collectives)(const CollectiveProblem&,
                                         const std::vector<CollectivePoint>&, const NcclTuning&,
                                         const HostTuning&) = nullptr;
  std::string (*collective_report)(const CollectiveFitResult&) = nullptr;
  RecipeOutcome (*run_recipe)(const RecipeEntry&, const std::filesystem::path& data,
                              const std::vector<std::string>& argv) = nullptr;
};

// Name of the one symbol that is called: extern "C" const CalibrationPlugin* ().
inline constexpr char kCalibrationPluginEntry[] = "paceline_calibration_plugin";

const CalibrationPlugin& calibration_plugin();

}  // namespace paceline
