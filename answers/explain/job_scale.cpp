#include "answers/explain/job_scale.h"

#include <algorithm>
#include <map>

#include "simulator/job/compute_profile.h"
#include "simulator/report/job_predictor.h"

namespace paceline {
namespace {

// What rank 0 spends on updates in an iteration, on any queue; not what comes before its first
// forward pass, which counts as such but feeds the batch.
Seconds updating(const Timeline& timeline) {
  std::map<int, SimTime> first_forward;  // by iteration
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const Span span = timeline.at(i);
    if (span.label.kind != SpanKind::kForward || span.label.rank != 0) continue;
    const auto [known, added] = first_forward.emplace(span.label.iteration, span.start);
    if (!added) known->second = std::min(known->second, span.start);
  }
  SimTime total;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const Span span = timeline.at(i);
    if (span.label.kind != SpanKind::kUpdate || span.label.rank != 0) continue;
    const auto forward = first_forward.find(span.label.iteration);
    if (forward != first_forward.end() && span.end <= forward->second) continue;
    total += span.end - span.start;
  }
  if (first_forward.empty()) return {};
  return total.seconds() / static_cast<double>(first_forward.size());
}

double ratio(Seconds in_job, Seconds alone) { return alone > Seconds(0) ? in_job / alone : 1; }

}  // namespace

PhaseScale phase_scale(const Report& report, const IterationPlan& plan, const Timeline& timeline) {
  if (!JobPredictor::concerns(report.experiment)) return {};
  const ComputeProfile alone = compute_profile(plan);
  const double micro_batches = static_cast<double>(alone.micro_batches);
  PhaseScale out;
  out.forward = ratio(report.breakdown.forward, micro_batches * alone.forward_time());
  out.backward = ratio(report.breakdown.backward, micro_batches * alone.backward_time());
  out.update = ratio(updating(timeline), alone.update);
  // The measured time of a synchronization holds the update; nothing tells how much of it.
  if (report.experiment.options.contains("sync_time")) out.backward = out.update = out.forward;
  return out;
}

}  // namespace paceline
