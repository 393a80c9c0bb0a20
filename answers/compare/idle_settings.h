// Settings (--set KEY=VALUE) that can change nothing of the jobs that they are given for: the
// prediction is the same with every value. Found by predicting, not by a list of conditions: such a
// list would be wrong with the next setting.
#pragma once

#include <vector>

#include "answers/compare/sweep.h"
#include "model/plan/experiment.h"

namespace paceline {

// Throws UsageError that names a setting of `points` if it acts at none of them: with its other
// values (Setting::values), and without it, every report is the same but for its configuration. A
// setting that is given its default may do nothing. Points of a sweep are tried one for each kind
// of job (network, device, framework, strategy, precision, one device or several, one machine or
// several); of very many kinds nothing is said. What is of a device, a workload or the input says
// so itself where it is read.
void refuse_idle_settings(const std::vector<Experiment>& points, SweepDevices& devices);

}  // namespace paceline
