// Which settings of a sweep differ between its points.
#pragma once

#include <string>
#include <vector>

#include "model/plan/report.h"

namespace paceline {

struct VaryingKey {
  std::string name;                 // the flag's name with "_" for "-"
  std::vector<std::string> values;  // of each report
  bool counts = false;              // all values are whole numbers
};

// In the order of a report's "config"; options of --set by their own keys. Empty if all are equal.
// Left out: gpus_per_node where every job is one machine, and a strategy that differs only in that
// one device has none.
std::vector<VaryingKey> varying_keys(const std::vector<Report>& reports);
// Only the options of --set; "-" where an experiment does not have one.
std::vector<VaryingKey> varying_options(const std::vector<Experiment>& experiments);

}  // namespace paceline
