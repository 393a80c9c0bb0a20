#include "cli/kernel_answer.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "core/units_text.h"
#include "model/kernel/kernel_text.h"

namespace paceline {
namespace {

// At least what a kernel needs at once: an operation on streams may write over what it reads.
Bytes resident_bytes(const Kernel& kernel) {
  const auto* stream = std::get_if<StreamShape>(&kernel.shape);
  return stream != nullptr ? std::max(stream->read, stream->written)
                           : kernel_bytes(kernel.shape, kernel.precision);
}

}  // namespace

KernelAnswer answer_kernel(const KernelRequest& request, const TrainingDevice& device,
                           const ExecutionContext& context) {
  KernelAnswer out;
  Seconds least;
  double shared = 0, own = 0;  // seconds of one standard deviation
  Seconds longest;
  for (const Kernel& kernel : request.kernels) {
    const KernelCost cost = device.costs().cost(kernel, context);
    out.median += cost.time;
    least += cost.least;
    out.flops += kernel_flops(kernel.shape);
    out.bytes += kernel_bytes(kernel.shape, kernel.precision);
    shared += cost.time.si() * cost.shared_sd;
    own = std::hypot(own, cost.time.si() * cost.own_sd);
    const KernelChoice choice = device.choice(kernel, context);
    out.choice.workspace = std::max(out.choice.workspace, choice.workspace);
    out.arithmetic += choice.arithmetic > Flops(0) ? choice.arithmetic : kernel_flops(kernel.shape);
    if (cost.time <= longest) continue;
    longest = cost.time;
    out.choice.algorithm = choice.algorithm;
    out.choice.wider = choice.wider;
    out.bound = cost.bound;
    out.origin = cost.origin;
  }
  const double sd = std::hypot(shared, own) / out.median.si();
  const double spread = std::exp(normal_quantile(0.95) * sd);
  out.p05 = std::max(least, out.median / spread);
  out.p95 = out.median * spread;
  return out;
}

std::vector<std::string> kernel_warnings(const KernelRequest& request, const KernelAnswer& answer,
                                         const TrainingDevice& device) {
  std::vector<std::string> out;
  if (answer.choice.wider) {
    const std::string asked(to_string(request.kernels.front().precision));
    const std::string wider(to_string(*answer.choice.wider));
    out.push_back("priced as a kernel in " + wider +
                  ", which is expected to be faster than one in " + asked + ": what " + asked +
                  " gains here is not known");
  }
  Bytes needed;
  for (const Kernel& kernel : request.kernels) needed = std::max(needed, resident_bytes(kernel));
  needed += answer.choice.workspace;
  if (device.memory() > Bytes(0) && needed > device.memory()) {
    out.push_back("needs " + to_text(needed) + " at once, more than the " +
                  to_text(device.memory()) + " of " + device.name() + ": such a kernel cannot run");
  }
  return out;
}

std::string shape_text(const KernelRequest& request) {
  std::string out;
  for (const Kernel& kernel : request.kernels) {
    out += (out.empty() ? "" : " + ") + readable_text(kernel.shape);
  }
  return out;
}

}  // namespace paceline
