// What is known of a job, and how well: the part of JobPredictor that its interval stands on.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/statistics.h"
#include "model/hardware/copy_model.h"
#include "simulator/jitter/jitter.h"
#include "simulator/report/job_predictor.h"
#include "simulator/strategies/parts/constants.h"

namespace paceline {
namespace {

// Standard deviation of ln(time) of an iteration from errors that its kernels do not share.
double own_sd(const IterationPlan& plan) {
  std::vector<double> calls(plan.kernels.size());
  for (const PlannedCall& call : plan.micro_batch) {
    if (call.kernel != PlannedCall::kNoKernel) {
      calls[call.kernel] += static_cast<double>(call.repeat);
    }
  }
  std::map<std::string, double> by_shape;
  double total = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const KernelCost& cost = plan.kernels[i].cost;
    const double time = calls[i] * cost.time.si();
    by_shape[cost.family + to_string(plan.kernels[i].kernel.shape)] += time * cost.own_sd;
    total += time;
  }
  double square = 0;
  for (const auto& [shape, part] : by_shape) square += part * part;
  return total > 0 ? std::sqrt(square) / total : 0;
}

// Beside collectives. Throws UsageError.
bool kernels_are_slowed(const Experiment& e) {
  const auto found = e.options.find("contention");
  const std::string text = found == e.options.end() ? "on" : found->second;
  if (text == "on" || text == "off") return text == "on" && e.devices > 1;
  throw UsageError("--set contention=" + text + ": expected on or off");
}

}  // namespace

JobPredictor::JobPredictor(const JobResiduals& residuals)
    : strategies_(strategy_registry()),
      processor_rate_(CopyModel::shipped().processor_rate()),
      residuals_(residuals),
      priors_{.measured_link = strategy_constant("interval.measured_link_sd"),
              .assumed_link = strategy_constant("interval.assumed_link_sd"),
              .processors = strategy_constant("interval.processors_sd"),
              .server_process = strategy_constant("interval.server_process_sd")},
      overlap_(OverlapCatalog::shipped()),
      contention_sd_(strategy_constant("interval.contention_sd")),
      repeat_sd_(strategy_constant("interval.repeat_sd")),
      iteration_cv_(strategy_constant("interval.iteration_cv")) {}

// Bandwidth as a large kernel reaches it. Nothing is shared on a processor.
std::optional<Contention> JobPredictor::contention(const Experiment& e,
                                                   const JobDevice& device) const {
  constexpr double kLarge = 256e6;  // bytes
  if (!kernels_are_slowed(e) || device.context.device == nullptr || device.processor)
    return std::nullopt;
  Kernel copy;
  copy.implementation = "aten.add_";
  copy.precision = Precision::kFp32;
  copy.shape = StreamShape{.elements = static_cast<std::int64_t>(kLarge / 4),
                           .read = Bytes(kLarge),
                           .written = Bytes(kLarge)};
  const Seconds time = device.costs->cost(copy, device.context).time;
  const double blocks = static_cast<double>(device.context.device->multiprocessors.value);
  return Contention{{blocks, Bytes(2 * kLarge) / time}, &overlap_, contention_sd_};
}

double JobPredictor::stragglers(std::int64_t ranks) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = stragglers_.find(ranks); found != stragglers_.end()) {
      return found->second;
    }
  }
  const double slowest = std::log(straggler_factor(ranks, iteration_cv_));
  const std::lock_guard lock(mutex_);
  return stragglers_.emplace(ranks, slowest).first->second;
}

JobKnowledge JobPredictor::knowledge(std::int64_t ranks) const {
  JobKnowledge known;
  known.computing_source = "fits of kernels and of the framework's host";
  known.ranks = static_cast<int>(ranks);
  if (ranks > 1) known.stragglers = stragglers(ranks);
  known.residuals = residuals_;
  return known;
}

JobKnowledge JobPredictor::knowledge(const Experiment& e, const IterationPlan& plan,
                                     const JobDevice& device, const Estimate& alone,
                                     const StrategyOptions& options) const {
  JobKnowledge known = knowledge(e.devices);
  known.computing_low = std::log(alone.p05 / alone.median);
  known.computing_high = std::log(alone.p95 / alone.median);
  if (e.calibrate || e.profile) {
    double sd = std::hypot(repeat_sd_, e.calibrate ? rounding_sd(*e.calibrate) : 0);
    known.computing_source = "digits of the measured figure, and another run";
    if (e.global_batch && device.whole_batch != nullptr) {
      sd = std::hypot(sd, own_sd(plan), own_sd(*device.whole_batch));
      known.computing_source += "; the step to another batch";
    }
    known.computing_high = normal_quantile(0.95) * sd;
    known.computing_low = -known.computing_high;
  }
  if (options.was_set("sync_time")) {
    known.measured_synchronization = true;
    known.synchronization_sd = std::hypot(repeat_sd_, rounding_sd(options.text("sync_time")));
  }
  return known;
}

}  // namespace paceline
