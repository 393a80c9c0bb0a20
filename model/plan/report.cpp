#include "model/plan/report.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/version.h"
#include "model/plan/iteration_plan.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Estimate& estimate) {
  return {{"median", estimate.median}, {"p05", estimate.p05}, {"p95", estimate.p95}};
}

ordered_json to_json(const Breakdown& breakdown) {
  return {{"forward", breakdown.forward.si()},
          {"backward", breakdown.backward.si()},
          {"optimizer", breakdown.optimizer.si()},
          {"exposed_communication", breakdown.exposed_communication.si()},
          {"host", breakdown.host.si()},
          {"input", breakdown.input.si()},
          {"bubble", breakdown.bubble.si()}};
}

ordered_json to_json(const Communication& communication) {
  ordered_json messages = ordered_json::array();
  for (const Message& message : communication.messages) {
    messages.push_back(
        {{"bytes", message.bytes}, {"start_s", message.start.si()}, {"end_s", message.end.si()}});
  }
  return {{"bytes_per_device", communication.bytes_per_device},
          {"total_s", communication.total.si()},
          {"exposed_s", communication.exposed.si()},
          {"slowed_s", communication.slowed.si()},
          {"messages", messages}};
}

ordered_json interval_json(const std::vector<IntervalPart>& parts) {
  ordered_json out = ordered_json::array();
  for (const IntervalPart& part : parts) {
    out.push_back(
        {{"what", part.what}, {"source", part.source}, {"low", part.low}, {"high", part.high}});
  }
  return out;
}

}  // namespace

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::kForward:
      return "forward";
    case Phase::kBackward:
      return "backward";
    case Phase::kOptimizer:
      return "optimizer";
  }
  PACELINE_ASSERT(false, "every phase has a name");
  return "";
}

ordered_json to_json(const Report& report) {
  ordered_json out;
  out["schema"] = "paceline.report/1";
  out["version"] = kVersion;
  out["config"] = to_json(report.experiment);
  out["iteration_time_s"] = to_json(report.iteration_time_s);
  out["throughput_samples_per_s"] = to_json(report.throughput_samples_per_s);
  if (report.throughput_tokens_per_s) {
    out["throughput_tokens_per_s"] = to_json(*report.throughput_tokens_per_s);
  }
  out["scaling_efficiency"] = report.scaling_efficiency;
  out["breakdown_s"] = to_json(report.breakdown);
  out["phases_s"] = {{"forward", report.phases.forward.si()},
                     {"backward", report.phases.backward.si()},
                     {"optimizer", report.phases.optimizer.si()}};
  out["bottleneck"] = {{"resource", report.bottleneck.resource},
                       {"share", report.bottleneck.share},
                       {"text", report.bottleneck.text}};
  out["communication"] = to_json(report.communication);
  out["memory_bytes"] = to_json(report.memory);
  if (report.largest_batch) out["largest_batch"] = *report.largest_batch;
  out["flops_per_iteration"] = report.flops_per_iteration.si();
  out["least_flops_per_iteration"] = report.least_flops_per_iteration.si();
  out["model_flops_utilization"] = report.model_flops_utilization;
  out["origins"] = to_json(report.origins);
  out["interval_parts"] = interval_json(report.interval_parts);
  out["warnings"] = report.warnings;
  out["inputs"] = ordered_json::array();
  for (const InputFile& input : report.inputs) {
    out["inputs"].push_back({{"file", input.file}, {"sha256", input.sha256}});
  }
  return out;
}

}  // namespace paceline
