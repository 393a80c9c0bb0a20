#include "simulator/report/job_report_parts.h"

#include <algorithm>
#include <cmath>

#include "core/percent.h"
#include "core/units_text.h"
#include "model/collective/connection_limit.h"
#include "simulator/job/compute_profile.h"

namespace paceline {
namespace {

constexpr double kMoreThanLinear = 1.005;  // efficiency that needs an explanation
constexpr double kBeyondPeak = 1.01;       // times the peak; what is less is rounding
constexpr double kRounding = 1e-9;         // of the time: no part of it
constexpr double kSameScale = 1e-6;        // the clock's rounding of every segment
constexpr double kBindingShare = 0.9;      // of the time: a resource this busy limits the job
constexpr double kNoteworthyPart = 0.01;   // of the time

double ratio(Seconds in_job, Seconds alone) { return alone > Seconds(0) ? in_job / alone : 1; }

bool is_one(double scale) { return std::abs(scale - 1) < kSameScale; }

// What to change about the busiest resource, where it is clear.
const char* what_shortens(const JobResult& job) {
  if (limiting_connections(job.busiest)) {
    return ", which more connections (sockets: --set connections=N), RDMA or fewer bytes would "
           "shorten, but no faster cards";
  }
  if (job.busiest_share <= kBindingShare) return "";
  return is_computing(job.busiest) ? ", which a faster link would not shorten"
                                   : ", which only a faster link or fewer bytes would shorten";
}

}  // namespace

PhaseScale phase_scale(const Experiment& e, const IterationPlan& plan, const Breakdown& parts,
                       Seconds updating) {
  const ComputeProfile alone = compute_profile(plan);
  const double micro_batches = static_cast<double>(alone.micro_batches);
  PhaseScale out;
  out.forward = ratio(parts.forward, micro_batches * alone.forward_time());
  out.backward = ratio(parts.backward, micro_batches * alone.backward_time());
  out.update = ratio(updating, alone.update);
  // The measured time of a synchronization holds the update; nothing tells how much of it.
  if (e.options.contains("sync_time")) out.backward = out.update = out.forward;
  return out;
}

void scale_reasons(const IterationPlan& plan, const PhaseScale& scale, Report& report) {
  if (is_one(scale.forward) && is_one(scale.backward) && is_one(scale.update)) return;
  const std::string_view whole = computing_of(report.experiment);
  report.bottleneck = find_bottleneck(plan, whole, scale);
  report.origins = collect_origins(plan, scale);
  const std::vector<std::string> said = collect_warnings(plan, whole);
  const std::vector<std::string> scaled = collect_warnings(plan, whole, scale);
  const auto old = std::ranges::search(report.warnings, said);
  const auto place = report.warnings.erase(old.begin(), old.end());
  report.warnings.insert(place, scaled.begin(), scaled.end());
}

// A profile of another network, or of a part of one, is easily given by mistake. Nothing in it says
// at which batch it was taken.
std::vector<std::string> profile_warnings(const Experiment& e, const ComputeProfile& profile,
                                          const std::vector<GradientTensor>& of_model) {
  constexpr double kSame = 0.01;
  const auto parameters = [](const std::vector<GradientTensor>& tensors) {
    std::int64_t sum = 0;
    for (const GradientTensor& tensor : tensors) sum += tensor.elements;
    return sum;
  };
  std::vector<std::string> out;
  const std::int64_t found = parameters(profile.gradients), expected = parameters(of_model);
  if (std::abs(static_cast<double>(found - expected)) > kSame * static_cast<double>(expected)) {
    out.push_back("the profile has " + std::to_string(profile.layers.size()) + " layers with " +
                  std::to_string(found) + " parameters, " + e.model + " has " +
                  std::to_string(expected) + ": is it of this network?");
  }
  out.push_back("the layer times of the profile are taken as those of batch " +
                std::to_string(e.batch) + ", which the file does not say");
  return out;
}

void name_bottleneck(const JobResult& job, const AggregationKernels& kernels,
                     Bottleneck& bottleneck) {
  const double waiting = job.breakdown.exposed_communication / job.iteration_time - kernels.share;
  const bool link = !job.busiest.empty() && job.busiest_share > job.compute_share;
  if (link || waiting >= 0.5) {
    bottleneck.resource = job.busiest;
    bottleneck.share = link ? job.busiest_share : waiting;
    bottleneck.text = "busy " + percent(job.busiest_share) +
                      " of the iteration; the device waits " + percent(waiting) +
                      " of it for communication";
    bottleneck.text += what_shortens(job);
    return;
  }
  bottleneck.share *= job.compute_share - kernels.share;
  if (kernels.share > bottleneck.share) {
    bottleneck = {.resource = kernels.name + " on the device",
                  .share = kernels.share,
                  .text = "kernels that take " + percent(kernels.share) +
                          " of the iteration, counted as exposed communication; a faster link "
                          "would not shorten them"};
  } else if (kernels.share > kNoteworthyPart) {
    bottleneck.text += "; " + percent(kernels.share) + " is " + kernels.name;
  }
  if (waiting > kNoteworthyPart) {
    bottleneck.text += "; " + percent(waiting) + " waits for " + job.busiest;
  }
}

void add_waiting(const JobResult& job, const AggregationKernels& kernels,
                 std::vector<OriginLine>& origins) {
  const Breakdown& b = job.breakdown;
  const Seconds busy = b.total() - b.bubble;
  const Seconds computing = std::min(b.exposed_communication, kernels.share * job.iteration_time);
  const Seconds waiting = b.exposed_communication - computing;
  if (computing > kRounding * busy) {
    add_origin(origins, {kernels.name, kernels.origin.kind, kernels.origin.source,
                         computing / (busy - waiting)});
  }
  if (waiting > kRounding * busy) {
    add_origin(origins, {"communication", job.message_origin.kind, job.message_origin.source,
                         waiting / busy});
  }
  if (b.bubble > kRounding * busy) {
    add_origin(origins, {"bubble", OriginKind::kExtrapolated,
                         "waiting that no message covers: agreement, cycles and requests of the "
                         "strategy",
                         b.bubble / b.total()});
  }
}

std::optional<std::string> beyond_peak(const Report& one, Seconds calibrated) {
  if (one.flops_per_iteration <= Flops(0)) return std::nullopt;
  // Of the counted arithmetic at the peak, then of the least.
  const double counted = one.model_flops_utilization * one.iteration_time_s.median;
  const double least = counted * (one.least_flops_per_iteration / one.flops_per_iteration);
  const double times = least / calibrated.si();
  if (times <= kBeyondPeak) return std::nullopt;
  return "--calibrate is " + significant(times) +
         " times what the device can do: its peak in the least arithmetic that the network needs";
}

std::optional<std::string> more_than_linear(const Report& report, const ComputeProfile& profile) {
  if (report.scaling_efficiency <= kMoreThanLinear) return std::nullopt;
  return "more than linear: one device updates its weights after the backward pass, for " +
         to_text(profile.update) + " of its " + to_text(profile.iteration_time()) + "; " +
         report.experiment.strategy + " does it beside computing, or on each device a part";
}

}  // namespace paceline
