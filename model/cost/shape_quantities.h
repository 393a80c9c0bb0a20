// The sizes that say whether a kernel resembles those a fit has seen.
#pragma once

#include <map>
#include <string>

#include "model/cost/cost_model.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

// "flops", "bytes", "threads" and the extents of the shape ("m", "channels", "row", ...).
std::map<std::string, double> shape_quantities(const Kernel& kernel,
                                               const ExecutionContext& context);

// The first quantity in which the kernel lies outside what the fit has seen, or "" if it lies
// inside. A thread count strictly between those measured counts as outside: it is interpolated.
std::string outside_domain(const Fit& fit, const Kernel& kernel, const ExecutionContext& context);

}  // namespace paceline
