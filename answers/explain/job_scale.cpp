#include "answers/explain/job_scale.h"

#include <algorithm>
#include <map>

#include "simulator/report/job_predictor.h"
#include "simulator/report/job_report_parts.h"

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

}  // namespace

PhaseScale phase_scale(const Report& report, const IterationPlan& plan, const Timeline& timeline) {
  if (!JobPredictor::concerns(report.experiment)) return {};
  return phase_scale(report.experiment, plan, report.breakdown, updating(timeline));
}

}  // namespace paceline
