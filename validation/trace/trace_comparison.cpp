#include "validation/trace/trace_comparison.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/statistics.h"

namespace paceline {
namespace {

// Layers that only rename memory have no operator that takes time.
bool takes_time(std::string_view kind) {
  return kind != "reshape" && kind != "parameter" && kind != "slice" && kind != "expand" &&
         kind != "permute";
}

struct Pairs {
  std::vector<std::pair<std::size_t, std::size_t>> of;  // workload, trace
};

// Longest common subsequence of two lists of kinds; empty kinds match nothing.
Pairs match(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> length((a.size() + 1) * width);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      const bool same = !a[i].empty() && a[i] == b[j];
      length[i * width + j] =
          same ? length[(i + 1) * width + j + 1] + 1
               : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  Pairs out;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (!a[i].empty() && a[i] == b[j]) {
      out.of.emplace_back(i++, j++);
    } else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

struct PlannedTimes {
  std::vector<LayerTime> layers;
  Seconds optimizer;
};

PlannedTimes planned_times(const IterationPlan& plan, bool with_host) {
  PlannedTimes out;
  out.layers.resize(plan.layers.size());
  const auto add = [&](const std::vector<PlannedCall>& calls, std::int64_t times) {
    for (const PlannedCall& call : calls) {
      Seconds each = with_host ? call.host : Seconds(0);
      if (call.kernel != PlannedCall::kNoKernel) each = each + plan.kernels[call.kernel].cost.time;
      const Seconds all = static_cast<double>(call.repeat * times) * each;
      LayerTime& layer = out.layers.at(call.layer);
      if (call.phase == Phase::kForward) layer.forward = layer.forward + all;
      if (call.phase == Phase::kBackward) layer.backward = layer.backward + all;
      if (call.phase == Phase::kOptimizer) out.optimizer = out.optimizer + all;
    }
  };
  add(plan.begin, 1);
  add(plan.micro_batch, plan.micro_batches);
  add(plan.update, 1);
  return out;
}

std::string text_of(const MeasuredLayer& layer) {
  constexpr std::string_view kModule = "nn.Module: ";
  if (layer.module.empty()) return layer.operation;
  const bool named = layer.module.starts_with(kModule);
  return layer.operation + " of " + (named ? layer.module.substr(kModule.size()) : layer.module);
}

// Both lists in forward order; pairs where they match.
std::vector<ComparedLayer> merged(const WorkloadGraph& graph, const PlannedTimes& planned,
                                  const MeasuredTimeline& trace) {
  const std::vector<LayerTime> measured = layer_times(trace);
  std::vector<std::string> ours, theirs;
  for (const Op& op : graph.ops()) {
    const std::string kind(kind_name(op.attributes));
    ours.push_back(takes_time(kind) ? kind : "");
  }
  for (const MeasuredLayer& layer : trace.layers) theirs.push_back(traced_kind(layer.operation));
  std::vector<ComparedLayer> out;
  std::size_t i = 0, j = 0;
  const auto add = [&](bool has_ours, bool has_theirs) {
    ComparedLayer row;
    if (has_ours) {
      row.layer = graph.ops()[i].name;
      row.predicted = planned.layers.at(i++);
    }
    if (has_theirs) {
      row.operation = text_of(trace.layers[j]);
      row.measured = measured[j++];
    }
    const bool nothing = row.difference().si() == 0 && row.measured.forward.si() == 0 &&
                         row.measured.backward.si() == 0;
    if (!nothing || row.matched()) out.push_back(std::move(row));
  };
  Pairs pairs = match(ours, theirs);
  pairs.of.emplace_back(ours.size(), theirs.size());
  for (const auto& [next_ours, next_theirs] : pairs.of) {
    while (i < next_ours) add(true, false);
    while (j < next_theirs) add(false, true);
    if (next_ours < ours.size()) add(true, true);
  }
  return out;
}

}  // namespace

std::string traced_kind(const std::string& operation) {
  static const std::map<std::string, std::string, std::less<>> kKinds = {
      {"convolution", "conv2d"},
      {"conv_transpose2d", "conv_transpose2d"},
      {"addmm", "linear"},
      {"mm", "linear"},
      {"bmm", "matmul"},
      {"baddbmm", "matmul"},
      {"scaled_dot_product_attention", "attention"},
      {"native_layer_norm", "layer_norm"},
      {"avg_pool2d", "average_pool2d"},
      {"adaptive_avg_pool2d", "average_pool2d"},
      {"hardtanh", "relu6"},
      {"upsample_nearest2d", "upsample2d"},
      {"mul", "multiply"},
      {"div", "scale"},
      {"masked_fill", "causal_mask"},
      {"to", "cast"},
      {"cat", "concat"},
      {"index_select", "gather"},
      {"cross_entropy_loss", "cross_entropy"},
      {"mse_loss", "mean_squared_error"},
      {"binary_cross_entropy_with_logits", "binary_cross_entropy"},
      {"smooth_l1_loss", "smooth_l1"},
      {"ctc_loss", "ctc"}};
  constexpr std::string_view kPrefix = "aten::";
  if (!operation.starts_with(kPrefix)) return "";
  std::string name = operation.substr(kPrefix.size());
  while (name.ends_with('_')) name.pop_back();  // in place
  const auto found = kKinds.find(name);
  return found == kKinds.end() ? name : found->second;
}

TraceComparison compare_with_trace(const WorkloadGraph& graph, const IterationPlan& plan,
                                   const MeasuredTimeline& trace) {
  TraceComparison out;
  out.on_device = !trace.devices.empty();
  const PlannedTimes planned = planned_times(plan, !out.on_device);
  out.layers = merged(graph, planned, trace);
  out.predicted_optimizer = planned.optimizer;
  out.other = other_times(trace);
  out.measured_optimizer = out.other.optimizer;
  if (!trace.iterations_s.empty()) {
    std::vector<double> iterations = trace.iterations_s;
    if (iterations.size() > 2) iterations.erase(iterations.begin());
    out.measured_iteration = Seconds(median(iterations));
  }
  for (const ComparedLayer& layer : out.layers) out.matched += layer.matched() ? 1 : 0;
  return out;
}

}  // namespace paceline
