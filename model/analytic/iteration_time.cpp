#include "model/analytic/iteration_time.h"

#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cmath>
#include <map>
#include <string>

#include "core/error.h"
#include "model/analytic/asynchronous.h"

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

// A serial iteration needs only how often each kernel runs and all host time together.
struct SerialSums {
  double host = 0;
  std::vector<double> calls;
  double seconds(const std::vector<double>& kernels, double host_factor) const {
    double sum = host_factor * host;
    for (std::size_t i = 0; i < calls.size(); ++i) sum += calls[i] * kernels[i];
    return sum;
  }
};

SerialSums serial_sums(const IterationPlan& plan) {
  SerialSums out{0, std::vector<double>(plan.kernels.size(), 0.0)};
  for_each_call(plan, [&](const PlannedCall& call, std::int64_t count) {
    out.host += call.host.si() * static_cast<double>(count);
    if (call.kernel == PlannedCall::kNoKernel) return;
    out.calls[call.kernel] += static_cast<double>(count);
  });
  return out;
}

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

SimTime iteration_time(const IterationPlan& plan) {
  return plan.dispatch == Dispatch::kSerial ? serial_iteration_time(plan)
                                            : asynchronous_iteration_time(plan);
}

Breakdown breakdown(const IterationPlan& plan) {
  return plan.dispatch == Dispatch::kSerial ? serial_breakdown(plan) : asynchronous_breakdown(plan);
}

PhaseTimes phase_times(const IterationPlan& plan) {
  return plan.dispatch == Dispatch::kSerial ? serial_phases(plan) : asynchronous_phases(plan);
}

const std::string& error_family(const PlannedKernel& planned) {
  return planned.cost.family.empty() ? planned.kernel.implementation : planned.cost.family;
}

double iteration_seconds(const IterationPlan& plan, const std::vector<double>& kernels,
                         double host_factor) {
  return plan.dispatch == Dispatch::kSerial
             ? serial_sums(plan).seconds(kernels, host_factor)
             : asynchronous_iteration_seconds(plan, kernels, host_factor);
}

std::vector<double> draw_iteration_times(const IterationPlan& plan, std::uint64_t seed, int draws) {
  const SerialSums sums = serial_sums(plan);
  Numbering families, shapes;
  std::vector<std::size_t> family, shape;
  for (const PlannedKernel& planned : plan.kernels) {
    const std::string& name = error_family(planned);
    family.push_back(families.number(name));
    shape.push_back(shapes.number(name + to_string(planned.kernel.shape)));
  }
  const bool has_common = std::ranges::any_of(
      plan.kernels, [](const PlannedKernel& planned) { return planned.cost.common_share > 0; });
  boost::random::mt19937_64 generator(seed);
  boost::random::normal_distribution<double> normal;
  std::vector<double> out, times(plan.kernels.size());
  std::vector<double> shared(families.size());
  std::vector<double> own(shapes.size());
  for (int draw = 0; draw < draws; ++draw) {
    for (double& z : shared) z = normal(generator);
    for (double& z : own) z = normal(generator);
    const double host_factor = std::exp(plan.host_sd * normal(generator));
    const double composition = plan.composition_sd * normal(generator);
    const double device = has_common ? normal(generator) : 0;
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
      const KernelCost& cost = plan.kernels[i].cost;
      const double common = std::sqrt(cost.common_share) * device +
                            std::sqrt(1 - cost.common_share) * shared[family[i]];
      const double error = cost.shared_sd * common + cost.own_sd * own[shape[i]] + composition;
      times[i] = std::max(cost.least.si(), cost.time.si() * std::exp(error));
    }
    out.push_back(plan.dispatch == Dispatch::kSerial
                      ? sums.seconds(times, host_factor)
                      : asynchronous_iteration_seconds(plan, times, host_factor));
  }
  return out;
}

}  // namespace paceline
