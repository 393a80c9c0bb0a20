// What the error of one device's iteration consists of: the unknowns of draw_iteration_times, each
// with its effect on ln(time). Two iterations whose kernels are of the same families of the same
// device err together, which decides how sure it is that one is faster.
#pragma once

#include <string>

#include "model/plan/error_shares.h"
#include "model/plan/iteration_plan.h"

namespace paceline {

// Where unknowns are the same: two iterations of equal texts share those of that kind.
struct ErrorScopes {
  std::string device;     // families of kernels, shapes, what families have in common
  std::string host;       // host time
  std::string iteration;  // how far kernels in company are from kernels alone
};

// To first order: ln(time) moves by the sum over families f of e_f times what the kernels of f are
// moved by, weighted by their times. The elasticity e_f is that of the closed form: a kernel that
// the host hides has none. The shares of a device whose iteration has no error are empty.
ErrorShares computing_errors(const IterationPlan& plan, const ErrorScopes& scopes);

}  // namespace paceline
