// paceline calibrate of collectives: measurements of all-reduces and the like on a machine that the
// flags describe become constants of its fabric, with the errors of messages held out.
#pragma once

#include "calibration/calibrate.h"
#include "cli/arguments.h"

namespace paceline {

// Whether the file holds times of collectives ("nccl.all-reduce", as `paceline import` writes).
bool holds_collectives(const MeasurementSet& measurements);

struct LinkCalibration {
  ParameterSet parameters;
  std::string report;
  std::vector<std::string> remarks;  // what was left out or not fitted, and why
};

// Throws UsageError if the flags describe no machine, InputError if nothing can be fitted.
LinkCalibration calibrate_links(const Arguments& arguments, const MeasurementSet& measurements);

}  // namespace paceline
