#include "model/analytic/computing_errors.h"

#include <cmath>
#include <map>
#include <vector>

#include "model/analytic/iteration_time.h"

namespace paceline {
namespace {

constexpr double kMoved = 0.1;  // of ln(time of a family), to see what the iteration does

// The kernels that err together.
struct KernelFamily {
  std::vector<std::size_t> kernels;  // of the plan
  double time = 0;                   // of an iteration, on the device
};

std::vector<double> times_on_device(const IterationPlan& plan) {
  std::vector<double> out(plan.kernels.size());
  const auto add = [&](const std::vector<PlannedCall>& calls, std::int64_t count) {
    for (const PlannedCall& call : calls) {
      if (call.kernel == PlannedCall::kNoKernel) continue;
      out[call.kernel] +=
          static_cast<double>(count * call.repeat) * plan.kernels[call.kernel].cost.time.si();
    }
  };
  add(plan.begin, 1);
  add(plan.micro_batch, plan.micro_batches);
  add(plan.update, 1);
  return out;
}

std::map<std::string, KernelFamily> families_of(const IterationPlan& plan,
                                                const std::vector<double>& on_device) {
  std::map<std::string, KernelFamily> out;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
    KernelFamily& family = out[error_family(plan.kernels[i])];
    family.kernels.push_back(i);
    family.time += on_device[i];
  }
  return out;
}

}  // namespace

ErrorShares computing_errors(const IterationPlan& plan, const ErrorScopes& scopes) {
  std::vector<double> times;
  for (const PlannedKernel& planned : plan.kernels) times.push_back(planned.cost.time.si());
  const std::vector<double> on_device = times_on_device(plan);
  const double base = iteration_seconds(plan, times, 1);
  ErrorShares out;
  if (!(base > 0)) return out;
  double of_kernels = 0;
  for (const auto& [name, family] : families_of(plan, on_device)) {
    if (!(family.time > 0)) continue;
    std::vector<double> moved = times;
    for (const std::size_t i : family.kernels) moved[i] *= std::exp(kMoved);
    const double elasticity = std::log(iteration_seconds(plan, moved, 1) / base) / kMoved;
    of_kernels += elasticity;
    for (const std::size_t i : family.kernels) {
      const KernelCost& cost = plan.kernels[i].cost;
      const double share = elasticity * on_device[i] / family.time;
      out.add(scopes.device + "|all", share * std::sqrt(cost.common_share) * cost.shared_sd);
      out.add(scopes.device + "|" + name,
              share * std::sqrt(1 - cost.common_share) * cost.shared_sd);
      out.add(scopes.device + "|" + name + to_string(plan.kernels[i].kernel.shape),
              share * cost.own_sd);
    }
  }
  const double of_host = std::log(iteration_seconds(plan, times, std::exp(kMoved)) / base) / kMoved;
  out.add(scopes.host + "|host", of_host * plan.host_sd);
  out.add(scopes.iteration + "|company", of_kernels * plan.composition_sd);
  out.finish();
  return out;
}

}  // namespace paceline
