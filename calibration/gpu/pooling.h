// Partial pooling: what the parameters of a device nobody measured are expected to be, from those
// of devices that were.
//
// One coordinate of device g of architecture a is  theta = mu + b_a + u_g,  b ~ N(0, (1 - w)
// tau^2), u ~ N(0, w tau^2). mu and tau^2 come from the measured devices (an empirical-Bayes
// random-effects model; Gelman and Hill, "Data Analysis Using Regression and
// Multilevel/Hierarchical Models", 2007, chapter 12), with the family's prior as one more
// observation of each. w, the share of the spread that is left between devices of one architecture,
// is an assumption: no collection holds enough devices of one architecture to estimate it
// (docs/models/gpu-transfer.md).
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/fit_parameter.h"

namespace paceline {

// One device's parameters as its own measurements give them, prior removed.
struct DeviceEstimate {
  std::string device;
  std::string architecture;
  std::vector<double> coordinates;
  std::vector<double> variances;  // infinite where the measurements say nothing
};

// Removes the prior from a posterior: information is what the measurements added.
DeviceEstimate without_prior(std::string device, std::string architecture,
                             const std::vector<FitParameter>& priors,
                             const std::vector<double>& coordinates,
                             const std::vector<double>& variances);

struct Expectation {
  std::vector<double> centers;  // coordinates
  std::vector<double> sds;
};

// The expectation for a further device of `architecture`. `priors` stand in where nothing was
// measured.
Expectation expect(const std::vector<FitParameter>& priors,
                   const std::vector<DeviceEstimate>& estimates, const std::string& architecture);

}  // namespace paceline
