// Host cost of a framework from recorded iterations of a network whose arithmetic takes no time.
#pragma once

#include "model/parameters/parameter_set.h"
#include "traces/recording/recording.h"

namespace paceline {

// For every measured run of `recording`:
//
//   seconds per call = (time of the iteration - time of its kernels) / unit calls,
//
// with kernels priced by `kernels` and calls counted by the framework's record. The one parameter,
// `call`, is the geometric mean over the runs; its error the standard deviation of ln over them.
// The result is a fit of formula "framework.host/1". Throws MissingParameter if a kernel cannot be
// priced, and InputError if a run's framework or network is unknown, or if kernels alone take
// longer than an iteration did, so that no host cost is left.
Fit fit_host(const Recording& recording, const ParameterSet& kernels);

}  // namespace paceline
