#include "model/analytic/iteration_time.h"

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <map>
#include <string>

#include "core/error.h"

namespace paceline {
namespace {

// Calls `visit(call, times)` for every call of the iteration; `times` counts repetitions and
// micro-batches.
template <typename Visit>
void for_each_call(const IterationPlan& plan, Visit visit) {
  for (const PlannedCall& call : plan.begin) visit(call, call.repeat);
  for (const PlannedCall& call : plan.micro_batch) visit(call, call.repeat * plan.micro_batches);
  for (const PlannedCall& call : plan.update) visit(call, call.repeat);
}

SimTime times(SimTime time, std::int64_t count) {
  return SimTime::from_picoseconds(time.picoseconds() * count);
}

SimTime kernel_time(const IterationPlan& plan, const PlannedCall& call) {
  if (call.kernel == PlannedCall::kNoKernel) return {};
  PACELINE_ASSERT(call.kernel < plan.kernels.size(), "a call names a kernel of its plan");
  return SimTime::from(plan.kernels[call.kernel].cost.time);
}

// Numbers texts in the order of their first appearance.
class Numbering {
 public:
  std::size_t number(const std::string& text) {
    return numbers_.emplace(text, numbers_.size()).first->second;
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

SimTime serial_iteration_time(const IterationPlan& plan) {
  SimTime total;
  for_each_call(plan, [&](const PlannedCall& call, std::int64_t count) {
    total += times(SimTime::from(call.host) + kernel_time(plan, call), count);
  });
  return total;
}

Breakdown serial_breakdown(const IterationPlan& plan) {
  SimTime host;
  std::map<Phase, SimTime> kernels;
  for_each_call(plan, [&](const PlannedCall& call, std::int64_t count) {
    host += times(SimTime::from(call.host), count);
    kernels[call.phase] += times(kernel_time(plan, call), count);
  });
  return {.forward = kernels[Phase::kForward].seconds(),
          .backward = kernels[Phase::kBackward].seconds(),
          .optimizer = kernels[Phase::kOptimizer].seconds(),
          .exposed_communication = {},
          .host = host.seconds(),
          .input = {},
          .bubble = {}};
}

PhaseTimes serial_phases(const IterationPlan& plan) {
  std::map<Phase, SimTime> phases;
  for_each_call(plan, [&](const PlannedCall& call, std::int64_t count) {
    phases[call.phase] += times(SimTime::from(call.host) + kernel_time(plan, call), count);
  });
  return {.forward = phases[Phase::kForward].seconds(),
          .backward = phases[Phase::kBackward].seconds(),
          .optimizer = phases[Phase::kOptimizer].seconds()};
}

std::vector<double> draw_serial_iteration_times(const IterationPlan& plan, std::uint64_t seed,
                                                int draws) {
  double host = 0;
  std::vector<double> seconds(plan.kernels.size(), 0.0);
  for_each_call(plan, [&](const PlannedCall& call, std::int64_t count) {
    host += call.host.si() * static_cast<double>(count);
    if (call.kernel == PlannedCall::kNoKernel) return;
    seconds[call.kernel] += plan.kernels[call.kernel].cost.time.si() * static_cast<double>(count);
  });
  Numbering families, shapes;
  std::vector<std::size_t> family, shape;
  for (const PlannedKernel& planned : plan.kernels) {
    const std::string& name = planned.kernel.implementation;
    family.push_back(families.number(name));
    shape.push_back(shapes.number(name + to_string(planned.kernel.shape)));
  }
  boost::random::mt19937_64 generator(seed);
  boost::random::normal_distribution<double> normal;
  std::vector<double> out;
  std::vector<double> shared(families.size());
  std::vector<double> own(shapes.size());
  for (int draw = 0; draw < draws; ++draw) {
    for (double& z : shared) z = normal(generator);
    for (double& z : own) z = normal(generator);
    const double host_time = host * std::exp(plan.host_sd * normal(generator));
    const double composition = std::exp(plan.composition_sd * normal(generator));
    double kernels = 0;
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
      const KernelCost& cost = plan.kernels[i].cost;
      kernels +=
          seconds[i] * std::exp(cost.shared_sd * shared[family[i]] + cost.own_sd * own[shape[i]]);
    }
    out.push_back(host_time + composition * kernels);
  }
  return out;
}

}  // namespace paceline
