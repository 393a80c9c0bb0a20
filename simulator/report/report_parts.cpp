#include "simulator/report/report_parts.h"

#include <algorithm>
#include <functional>
#include <map>

#include "core/percent.h"
#include "core/units_text.h"
#include "model/analytic/iteration_time.h"

namespace paceline {
namespace {

constexpr double kNoteworthyShare = 0.01;  // of the iteration

Seconds total_time(const std::vector<ImplementationTime>& parts) {
  Seconds total;
  for (const ImplementationTime& part : parts) total += part.time;
  return total;
}

// Of kernels that neither arithmetic nor memory limits.
Seconds start_up_time(const ImplementationTime& part) {
  if (part.implementation == "host") return Seconds();
  return part.time - part.compute_bound - part.memory_bound;
}

}  // namespace

double PhaseScale::of(Phase phase) const {
  return phase == Phase::kForward ? forward : phase == Phase::kBackward ? backward : update;
}

void for_each_call(const IterationPlan& plan, const PhaseScale& scale, const VisitCall& visit) {
  for (const PlannedCall& call : plan.begin) visit(call, call.repeat, scale.forward);
  for (const PlannedCall& call : plan.micro_batch) {
    visit(call, call.repeat * plan.micro_batches, scale.of(call.phase));
  }
  for (const PlannedCall& call : plan.update) visit(call, call.repeat, scale.update);
}

Estimate rate_of(double amount, const Estimate& time) {
  return {amount / time.median, amount / time.p95, amount / time.p05};
}

std::vector<ImplementationTime> time_by_implementation(const IterationPlan& plan,
                                                       const PhaseScale& scale) {
  std::map<std::string, ImplementationTime> by_name;
  for_each_call(plan, scale, [&](const PlannedCall& call, std::int64_t times, double longer) {
    const double count = longer * static_cast<double>(times);
    if (call.host > Seconds(0)) by_name["host"].calls += times;
    if (call.kernel == PlannedCall::kNoKernel) return;
    const PlannedKernel& planned = plan.kernels[call.kernel];
    ImplementationTime& part = by_name[planned.kernel.implementation];
    part.time += count * planned.cost.time;
    part.calls += times;
    if (planned.cost.bound == Bound::kCompute) part.compute_bound += count * planned.cost.time;
    if (planned.cost.bound == Bound::kMemory) part.memory_bound += count * planned.cost.time;
  });
  const Seconds host = scale.forward * breakdown(plan).host;  // what kernels do not hide
  if (host > Seconds(0)) by_name["host"].time = host;
  std::vector<ImplementationTime> out;
  for (auto& [name, part] : by_name) {
    part.implementation = name;
    out.push_back(part);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  return out;
}

std::string_view computing_of(const Experiment& e) {
  return e.devices > 1 ? "the computing" : "the iteration";
}

Bottleneck find_bottleneck(const IterationPlan& plan, std::string_view whole,
                           const PhaseScale& scale) {
  const std::vector<ImplementationTime> parts = time_by_implementation(plan, scale);
  const Seconds total = total_time(parts);
  Bottleneck out;
  if (total <= Seconds(0)) return out;
  Seconds compute, memory, host;
  for (const ImplementationTime& part : parts) {
    compute += part.compute_bound;
    memory += part.memory_bound;
    if (part.implementation == "host") host = part.time;
  }
  const bool on_gpu = plan.dispatch == Dispatch::kAsynchronous;
  struct Candidate {
    const char* resource;
    const char* meaning;
    Seconds time;
    Seconds (*part)(const ImplementationTime&);  // of it, in one implementation
  };
  const Candidate candidates[] = {
      {on_gpu ? "gpu compute" : "cpu compute", "arithmetic and instructions", compute,
       [](const ImplementationTime& part) { return part.compute_bound; }},
      {on_gpu ? "gpu memory" : "cpu memory", "memory traffic", memory,
       [](const ImplementationTime& part) { return part.memory_bound; }},
      {"framework host", "dispatching calls", host, nullptr},
      {"kernel start-up", "starting small kernels", total - compute - memory - host,
       start_up_time}};
  const Candidate& worst =
      *std::max_element(std::begin(candidates), std::end(candidates),
                        [](const Candidate& a, const Candidate& b) { return a.time < b.time; });
  out.resource = worst.resource;
  out.share = worst.time / total;
  out.text = percent(out.share) + " of " + std::string(whole) + " is limited by " + worst.meaning;
  if (worst.part == nullptr) return out;
  // Of that time, not of all that the implementation takes: its other kernels are limited
  // otherwise.
  const ImplementationTime& top = *std::ranges::max_element(parts, {}, worst.part);
  out.text += ", " + percent(worst.part(top) / total) + " in " + top.implementation + " alone";
  return out;
}

std::vector<OriginLine> collect_origins(const IterationPlan& plan, const PhaseScale& scale) {
  std::map<std::pair<std::string, OriginKind>, OriginLine> lines;
  Seconds total = scale.forward * breakdown(plan).host;
  std::map<const OriginLine*, Seconds> times;
  const auto add = [&](const std::string& what, const Origin& origin, Seconds time) {
    OriginLine& line = lines[{what, origin.kind}];
    Seconds& sum = times[&line];
    if (line.what.empty()) line = {what, origin.kind, origin.source, 0};
    sum += time;
  };
  if (total > Seconds(0)) add("host", plan.host_origin, total);
  for_each_call(plan, scale, [&](const PlannedCall& call, std::int64_t count, double longer) {
    if (call.kernel == PlannedCall::kNoKernel) return;
    const PlannedKernel& planned = plan.kernels[call.kernel];
    const Seconds time = longer * static_cast<double>(count) * planned.cost.time;
    if (time <= Seconds(0)) return;  // an update that the device leaves to others
    total += time;
    add(planned.kernel.implementation, planned.cost.origin, time);
  });
  std::vector<OriginLine> out;
  for (auto& [key, line] : lines) {
    line.share = times[&line] / total;
    out.push_back(line);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const OriginLine& a, const OriginLine& b) { return a.share > b.share; });
  return out;
}

void add_origin(std::vector<OriginLine>& origins, OriginLine waiting) {
  for (OriginLine& line : origins) line.share *= 1 - waiting.share;
  origins.push_back(std::move(waiting));
  std::ranges::stable_sort(origins, std::greater<>(), &OriginLine::share);
}

std::vector<std::string> collect_warnings(const IterationPlan& plan, std::string_view whole,
                                          const PhaseScale& scale) {
  const std::string of_whole = " of " + std::string(whole) + " is ";
  std::map<std::string, Seconds> outside;
  Seconds total = scale.forward * breakdown(plan).host;
  for_each_call(plan, scale, [&](const PlannedCall& call, std::int64_t times, double longer) {
    if (call.kernel == PlannedCall::kNoKernel) return;
    const double count = longer * static_cast<double>(times);
    const PlannedKernel& planned = plan.kernels[call.kernel];
    total += count * planned.cost.time;
    if (planned.cost.origin.kind == OriginKind::kExtrapolated) {
      outside[planned.kernel.implementation] += count * planned.cost.time;
    }
  });
  std::vector<std::string> out;
  Seconds all;
  for (const auto& [implementation, time] : outside) {
    all += time;
    if (plan.dispatch == Dispatch::kAsynchronous || time < kNoteworthyShare * total) continue;
    out.push_back(percent(time / total) + of_whole + implementation +
                  " of shapes outside the measured range");
  }
  if (plan.dispatch == Dispatch::kAsynchronous && all >= kNoteworthyShare * total) {
    out.push_back(percent(all / total) + of_whole +
                  "kernels that were not measured on this device, or of shapes "
                  "outside the measured range; origins says which");
  }
  return out;
}

}  // namespace paceline
