#include "simulator/job/compute_profile.h"

#include <algorithm>
#include <set>

#include "core/error.h"

namespace paceline {
namespace {

Seconds sum(const std::vector<ComputeSegment>& segments) {
  Seconds total;
  for (const ComputeSegment& segment : segments) total += segment.time;
  return total;
}

Seconds kernel_time(const IterationPlan& plan, const PlannedCall& call) {
  if (call.kernel == PlannedCall::kNoKernel) return Seconds();
  return plan.kernels[call.kernel].cost.time;
}

// How far the device and its issuing thread have come: one thread of control, or a queue between
// two (model/analytic/asynchronous.h).
class Clock {
 public:
  void run(const IterationPlan& plan, const PlannedCall& call) {
    const Seconds kernel = kernel_time(plan, call);
    host_work_ += static_cast<double>(call.repeat) * call.host;
    count(plan, call);
    if (plan.dispatch == Dispatch::kSerial) {
      device_ += static_cast<double>(call.repeat) * (call.host + kernel);
      return;
    }
    for (std::int64_t i = 0; i < call.repeat; ++i) {
      if (call.synchronizes) host_ = std::max(host_, device_);
      host_ += call.host;
      if (call.kernel == PlannedCall::kNoKernel) continue;
      device_ = std::max(host_ + plan.launch_latency, device_) + kernel;
    }
  }
  // The issuing thread waits for the device at the end of an iteration.
  void finish() { device_ = std::max(device_, host_); }
  Seconds device() const { return device_; }
  Seconds host_work() const { return host_work_; }
  // Kernels so far, and of them those that arithmetic and memory bound.
  Seconds kernels() const { return kernels_; }
  Seconds compute_bound() const { return compute_bound_; }
  Seconds memory_bound() const { return memory_bound_; }

 private:
  void count(const IterationPlan& plan, const PlannedCall& call) {
    if (call.kernel == PlannedCall::kNoKernel) return;
    const KernelCost& cost = plan.kernels[call.kernel].cost;
    const Seconds time = static_cast<double>(call.repeat) * cost.time;
    kernels_ += time;
    if (cost.bound == Bound::kCompute) compute_bound_ += time;
    if (cost.bound == Bound::kMemory) memory_bound_ += time;
  }

  Seconds device_;
  Seconds host_;
  Seconds host_work_;
  Seconds kernels_;
  Seconds compute_bound_;
  Seconds memory_bound_;
};

class Cutter {
 public:
  explicit Cutter(const IterationPlan& plan) : plan_(plan) {
    for (const GradientTensor& gradient : plan.gradients) weighted_.insert(gradient.layer);
  }

  ComputeProfile cut() {
    ComputeProfile out;
    out.layers = plan_.layers;
    out.gradients = plan_.gradients;
    out.micro_batches = plan_.micro_batches;
    for (const PlannedCall& call : plan_.begin) clock_.run(plan_, call);
    out.begin = lap().time;
    for (const PlannedCall& call : plan_.begin) {
      if (call.kernel == PlannedCall::kNoKernel) {
        out.feed += static_cast<double>(call.repeat) * call.host;
      }
    }
    out.feed = std::min(out.feed, out.begin);
    for (const PlannedCall& call : plan_.micro_batch) {
      if (call.phase == Phase::kBackward) {
        backward(call, out);
      } else {
        forward(call, out);
      }
    }
    if (out.backward.empty()) out.backward.push_back(lap());
    // What follows the last gradient belongs to it: nothing can wait for it separately.
    out.backward.back() += lap();
    for (const PlannedCall& call : plan_.update) clock_.run(plan_, call);
    clock_.finish();
    out.update = lap().time;
    return out;
  }

 private:
  ComputeSegment lap() {
    ComputeSegment segment;
    segment.time = clock_.device() - last_.device();
    segment.host = clock_.host_work() - last_.host_work();
    const Seconds kernels = clock_.kernels() - last_.kernels();
    const Seconds gap = std::max(Seconds(), segment.time - kernels);
    const double exposed = kernels > gap ? (kernels - gap) / kernels : 0;
    const double inside = kernels > segment.time ? segment.time / kernels : 1;
    segment.compute_bound = exposed * inside * (clock_.compute_bound() - last_.compute_bound());
    segment.memory_bound = exposed * inside * (clock_.memory_bound() - last_.memory_bound());
    last_ = clock_;
    return segment;
  }
  // A new segment begins where a layer with weights does.
  void forward(const PlannedCall& call, ComputeProfile& out) {
    const bool starts = out.forward.empty() ||
                        (weighted_.contains(call.layer) && out.forward.back().layer != call.layer);
    if (starts) out.forward.push_back({.layer = call.layer});
    clock_.run(plan_, call);
    out.forward.back() += lap();
  }
  void backward(const PlannedCall& call, ComputeProfile& out) {
    clock_.run(plan_, call);
    if (call.gradient == PlannedCall::kNoGradient) return;
    ComputeSegment segment = lap();
    if (segment.time == Seconds(0) && !out.backward.empty()) {  // final together with the last
      out.backward.back().gradients.push_back(call.gradient);
      return;
    }
    segment.layer = call.layer;
    segment.gradients = {call.gradient};
    out.backward.push_back(std::move(segment));
  }

  const IterationPlan& plan_;
  std::set<std::uint32_t> weighted_;
  Clock clock_;
  Clock last_;
};

}  // namespace

ComputeSegment& ComputeSegment::operator+=(const ComputeSegment& next) {
  time += next.time;
  host += next.host;
  compute_bound += next.compute_bound;
  memory_bound += next.memory_bound;
  return *this;
}

Seconds ComputeProfile::forward_time() const { return sum(forward); }
Seconds ComputeProfile::backward_time() const { return sum(backward); }

Seconds ComputeProfile::iteration_time() const {
  return begin + static_cast<double>(micro_batches) * (forward_time() + backward_time()) + update;
}

Bytes ComputeProfile::gradient_bytes() const {
  Bytes total;
  for (const GradientTensor& gradient : gradients) total += gradient.bytes;
  return total;
}

std::vector<Seconds> ComputeProfile::ready_times() const {
  std::vector<Seconds> out(gradients.size());
  Seconds now;
  for (const ComputeSegment& segment : backward) {
    now += segment.time;
    for (const std::uint32_t gradient : segment.gradients) out.at(gradient) = now;
  }
  return out;
}

ComputeProfile ComputeProfile::scaled(double factor) const {
  PACELINE_ASSERT(factor > 0, "a profile is scaled by a positive factor");
  ComputeProfile out = *this;
  out.begin *= factor;
  out.feed *= factor;
  out.update *= factor;
  for (auto* segments : {&out.forward, &out.backward}) {
    for (ComputeSegment& segment : *segments) {
      segment.time *= factor;
      segment.host *= factor;
      segment.compute_bound *= factor;
      segment.memory_bound *= factor;
    }
  }
  return out;
}

void ComputeProfile::fold_update() {
  backward.back().time += update + begin;
  update = begin = feed = Seconds();
}

ComputeProfile compute_profile(const IterationPlan& plan) {
  ComputeProfile profile = Cutter(plan).cut();
  std::vector<int> final(profile.gradients.size());
  for (const ComputeSegment& segment : profile.backward) {
    for (const std::uint32_t gradient : segment.gradients) ++final.at(gradient);
  }
  const bool none = std::ranges::none_of(final, [](int times) { return times > 0; });
  if (none && !profile.gradients.empty()) {
    throw UsageError(
        "--set phases=forward: what devices exchange, and --calibrate, are of training; leave one "
        "of them out");
  }
  PACELINE_ASSERT(std::ranges::all_of(final, [](int times) { return times == 1; }),
                  "every gradient is final exactly once");
  return profile;
}

}  // namespace paceline
