#include "model/analytic/asynchronous.h"

#include <map>

#include "core/error.h"
#include "model/analytic/max_plus.h"

namespace paceline {
namespace {

using Picoseconds = std::int64_t;

Picoseconds picoseconds(Seconds time) { return SimTime::from(time).picoseconds(); }

// Durations of the calls of a plan in picoseconds, kernels rounded once each.
class Clockwork {
 public:
  explicit Clockwork(const IterationPlan& plan) : latency_(picoseconds(plan.launch_latency)) {
    for (const PlannedKernel& planned : plan.kernels) {
      kernels_.push_back(picoseconds(planned.cost.time));
    }
  }
  Picoseconds host(const PlannedCall& call) const { return picoseconds(call.host); }
  Picoseconds kernel(std::uint32_t index) const {
    PACELINE_ASSERT(index < kernels_.size(), "a call names a kernel of its plan");
    return kernels_[index];
  }
  Picoseconds latency() const { return latency_; }

 private:
  Picoseconds latency_;
  std::vector<Picoseconds> kernels_;
};

// The same with other durations, in seconds.
class ScaledClockwork {
 public:
  ScaledClockwork(const IterationPlan& plan, const std::vector<double>& kernels, double host_factor)
      : latency_(plan.launch_latency.si()), kernels_(kernels), host_factor_(host_factor) {}
  double host(const PlannedCall& call) const { return host_factor_ * call.host.si(); }
  double kernel(std::uint32_t index) const { return kernels_[index]; }
  double latency() const { return latency_; }

 private:
  double latency_;
  const std::vector<double>& kernels_;
  double host_factor_;
};

template <typename T, typename Clock>
MaxPlusMap<T> map_of(const PlannedCall& call, const Clock& clock) {
  const T host = clock.host(call);
  const MaxPlusMap<T> once = call.kernel == PlannedCall::kNoKernel
                                 ? host_map<T>(host)
                                 : call_map<T>(host, clock.kernel(call.kernel), clock.latency());
  const MaxPlusMap<T> whole = call.synchronizes ? wait_map<T>().then(once) : once;
  return call.repeat == 1 ? whole : whole.power(call.repeat);
}

template <typename T, typename Clock>
MaxPlusMap<T> map_of(const std::vector<PlannedCall>& calls, const Clock& clock) {
  MaxPlusMap<T> map;
  for (const PlannedCall& call : calls) map = map.then(map_of<T>(call, clock));
  return map;
}

// Calls one after another; composing maps costs four times as much and is worth it only for what
// repeats.
template <typename T, typename Clock>
HostAndDevice<T> run(const std::vector<PlannedCall>& calls, const Clock& clock,
                     HostAndDevice<T> at) {
  for (const PlannedCall& call : calls) at = map_of<T>(call, clock)(at);
  return at;
}

template <typename T, typename Clock>
T iteration(const IterationPlan& plan, const Clock& clock) {
  HostAndDevice<T> at = run<T>(plan.begin, clock, HostAndDevice<T>{});
  if (plan.micro_batches == 1) {
    at = run<T>(plan.micro_batch, clock, at);
  } else {
    at = map_of<T>(plan.micro_batch, clock).power(plan.micro_batches)(at);
  }
  at = run<T>(plan.update, clock, at);
  return std::max(at.host, at.device);
}

// Adds what each call moves the device forward to its phase; returns where it ends.
HostAndDevice<Picoseconds> run_phases(const std::vector<PlannedCall>& calls, const Clockwork& clock,
                                      HostAndDevice<Picoseconds> at,
                                      std::map<Phase, Picoseconds>& phases) {
  for (const PlannedCall& call : calls) {
    const HostAndDevice<Picoseconds> next = map_of<Picoseconds>(call, clock)(at);
    phases[call.phase] += next.device - at.device;
    at = next;
  }
  return at;
}

}  // namespace

SimTime asynchronous_iteration_time(const IterationPlan& plan) {
  return SimTime::from_picoseconds(iteration<Picoseconds>(plan, Clockwork(plan)));
}

Breakdown asynchronous_breakdown(const IterationPlan& plan) {
  const Clockwork clock(plan);
  std::map<Phase, Picoseconds> kernels;
  const auto add = [&](const std::vector<PlannedCall>& calls, std::int64_t times) {
    for (const PlannedCall& call : calls) {
      if (call.kernel == PlannedCall::kNoKernel) continue;
      kernels[call.phase] += times * call.repeat * clock.kernel(call.kernel);
    }
  };
  add(plan.begin, 1);
  add(plan.micro_batch, plan.micro_batches);
  add(plan.update, 1);
  const auto seconds = [](Picoseconds ps) { return SimTime::from_picoseconds(ps).seconds(); };
  const Picoseconds busy =
      kernels[Phase::kForward] + kernels[Phase::kBackward] + kernels[Phase::kOptimizer];
  return {.forward = seconds(kernels[Phase::kForward]),
          .backward = seconds(kernels[Phase::kBackward]),
          .optimizer = seconds(kernels[Phase::kOptimizer]),
          .exposed_communication = {},
          .host = seconds(asynchronous_iteration_time(plan).picoseconds() - busy),
          .input = {},
          .bubble = {}};
}

PhaseTimes asynchronous_phases(const IterationPlan& plan) {
  constexpr std::int64_t kExplicit = 2;  // micro-batches until every further one is alike
  const Clockwork clock(plan);
  std::map<Phase, Picoseconds> phases, last;
  HostAndDevice<Picoseconds> at = run_phases(plan.begin, clock, {}, phases);
  for (std::int64_t i = 0; i < std::min(kExplicit, plan.micro_batches); ++i) {
    last.clear();
    at = run_phases(plan.micro_batch, clock, at, last);
    for (const auto& [phase, time] : last) phases[phase] += time;
  }
  const std::int64_t more = std::max<std::int64_t>(0, plan.micro_batches - kExplicit);
  for (const auto& [phase, time] : last) phases[phase] += more * time;
  const auto seconds = [](Picoseconds ps) { return SimTime::from_picoseconds(ps).seconds(); };
  PhaseTimes out{.forward = seconds(phases[Phase::kForward]),
                 .backward = seconds(phases[Phase::kBackward]),
                 .optimizer = {}};
  const Seconds total = asynchronous_iteration_time(plan).seconds();
  out.optimizer = std::max(Seconds(0), total - out.forward - out.backward);
  return out;
}

double asynchronous_iteration_seconds(const IterationPlan& plan, const std::vector<double>& kernels,
                                      double host_factor) {
  PACELINE_ASSERT(kernels.size() == plan.kernels.size(), "every kernel has a time");
  return iteration<double>(plan, ScaledClockwork(plan, kernels, host_factor));
}

}  // namespace paceline
