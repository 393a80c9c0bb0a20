// Optimizers by what they keep: the state tensors that lie beside every parameter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paceline {

struct OptimizerInfo {
  std::string name;  // "adam"
  std::string summary;
  int state_tensors = 0;  // fp32, each of the size of the parameter
};

// sgd, momentum, adam, adamw, rmsprop, adagrad.
const std::vector<OptimizerInfo>& optimizers();
// Names are compared normalized. Throws UsageError with the nearest names.
const OptimizerInfo& optimizer_named(std::string_view name);

}  // namespace paceline
