// Measurements of one machine become the parameters a prediction reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/kernel_fit.h"
#include "model/parameters/parameter_set.h"
#include "traces/measurement/measurement.h"

namespace paceline {

struct CalibrateOptions {
  std::string device = "cpu";         // name of the device the parameters belong to
  std::vector<std::string> only{};    // names of problems or implementations; empty: all
  std::vector<std::string> argv{};    // recorded in the provenance
  std::vector<SourceFile> sources{};  // the measurement files, with their hashes
  KernelFitOptions fit{};
};

struct CalibrationResult {
  ParameterSet parameters;                     // usable fits only
  std::string report;                          // summary table, then every fit in words
  std::map<std::string, std::string> plots;    // implementation -> SVG, measured against fitted
  std::map<std::string, std::string> refused;  // implementation -> reason
  std::vector<FitResult> fits;                 // all of them, refused ones included
};

// Runs every registered problem (calibration/problems/). The same input gives the same fits, bit by
// bit. Throws UsageError if `only` names nothing that is measured, InputError if the measurements
// hold no kernel at all, or none that was measured on a quiet machine and checked.
CalibrationResult calibrate(const MeasurementSet& measurements, const CalibrateOptions& options);

}  // namespace paceline
