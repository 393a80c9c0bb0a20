#include "validation/trace/trace_comparison.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "core/statistics.h"
#include "validation/trace/joined_layers.h"

namespace paceline {
namespace {

// Layers that only rename memory have no operator that takes time.
bool takes_time(std::string_view kind) {
  return kind != "reshape" && kind != "parameter" && kind != "slice" && kind != "expand" &&
         kind != "permute";
}

// Place in the workload, place in the trace.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

std::string dims_text(const std::vector<std::int64_t>& dims) {
  std::string out = "[";
  for (const std::int64_t dim : dims) out += (out.size() > 1 ? "," : "") + std::to_string(dim);
  return out + "]";
}

// What tells layers of one kind apart: the shape of the weight, or of the input. Empty if there is
// none that both sides know.
std::string shape_key(const WorkloadGraph& graph, const Op& op) {
  if (const auto* conv = std::get_if<Conv2d>(&op.attributes)) {
    return dims_text(graph.shape(op.inputs.front()).dims) +
           dims_text({conv->out_channels, conv->in_channels / conv->groups, conv->kernel_h,
                      conv->kernel_w});
  }
  if (const auto* linear = std::get_if<Linear>(&op.attributes)) {
    return dims_text({linear->out_features, linear->in_features});
  }
  return op.inputs.empty() ? "" : dims_text(graph.shape(op.inputs.front()).dims);
}

// The same of a traced operator, from the sizes of its operands: "[[8, 3, 9, 9], [64, 3, 7, 7]]".
std::string shape_key(const std::string& kind, const std::string& sizes) {
  std::vector<std::string> operands;
  for (const char c : sizes) {
    if (c == '[') operands.emplace_back();
    if (c != ' ' && !operands.empty()) operands.back() += c;
  }
  // The outer bracket opens a list of its own.
  if (operands.size() < 2) return "";
  operands.erase(operands.begin());
  for (std::string& operand : operands) operand.resize(operand.find(']') + 1);
  if (kind == "linear") return operands.size() < 2 ? "" : operands[1];
  if (kind == "conv2d") return operands.size() < 2 ? "" : operands[0] + operands[1];
  return operands[0];
}

// Layers of one kind and shape, in order; only where both sides have as many of them.
Pairs match_shapes(const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
  std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> places;
  for (std::size_t i = 0; i < ours.size(); ++i) places[ours[i]].first.push_back(i);
  for (std::size_t j = 0; j < theirs.size(); ++j) places[theirs[j]].second.push_back(j);
  Pairs out;
  for (const auto& [key, both] : places) {
    if (key.empty() || both.first.size() != both.second.size()) continue;
    for (std::size_t k = 0; k < both.first.size(); ++k) {
      out.emplace_back(both.first[k], both.second[k]);
    }
  }
  return out;
}

// Longest common subsequence of two lists of kinds; empty kinds match nothing.
Pairs match_kinds(const std::vector<std::string>& a, const std::vector<std::string>& b) {
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
      out.emplace_back(i++, j++);
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

// Whether the trace has names of the workload's own layers: a simulated one.
bool names_layers(const WorkloadGraph& graph, const MeasuredTimeline& trace) {
  return std::ranges::any_of(trace.layers, [&](const MeasuredLayer& layer) {
    return std::ranges::find(graph.ops(), layer.operation, &Op::name) != graph.ops().end();
  });
}

std::vector<std::optional<std::size_t>> by_name(const WorkloadGraph& graph,
                                                const MeasuredTimeline& trace) {
  std::map<std::string, std::size_t> places;
  for (std::size_t j = 0; j < trace.layers.size(); ++j) places[trace.layers[j].operation] = j;
  std::vector<std::optional<std::size_t>> out;
  for (const Op& op : graph.ops()) {
    const auto found = places.find(op.name);
    out.push_back(found == places.end() ? std::nullopt : std::optional(found->second));
  }
  return out;
}

// The layer of the trace for each of the workload, or none. Shapes decide where they are known on
// both sides; the rest is matched by kind, in order.
std::vector<std::optional<std::size_t>> counterparts(const WorkloadGraph& graph,
                                                     const MeasuredTimeline& trace) {
  std::vector<std::string> ours, theirs, our_shapes, their_shapes;
  const auto joined = [](const std::string& kind, const std::string& shape) {
    return kind.empty() || shape.empty() ? "" : kind + shape;
  };
  for (const Op& op : graph.ops()) {
    const std::string kind(kind_name(op.attributes));
    ours.push_back(takes_time(kind) ? kind : "");
    our_shapes.push_back(joined(ours.back(), shape_key(graph, op)));
  }
  for (const MeasuredLayer& layer : trace.layers) {
    theirs.push_back(traced_kind(layer.operation));
    their_shapes.push_back(joined(theirs.back(), shape_key(theirs.back(), layer.shape)));
  }
  std::vector<std::optional<std::size_t>> out(ours.size());
  for (const auto& [i, j] : match_shapes(our_shapes, their_shapes)) {
    out[i] = j;
    ours[i].clear();
    theirs[j].clear();
  }
  for (const auto& [i, j] : match_kinds(ours, theirs)) out[i] = j;
  return out;
}

bool has_time(const LayerTime& time) {
  return time.forward > Seconds(0) || time.backward > Seconds(0);
}

// The workload's layers in their order, then what only the trace has.
std::vector<ComparedLayer> compared(const WorkloadGraph& graph, const PlannedTimes& planned,
                                    const MeasuredTimeline& trace) {
  const std::vector<LayerTime> measured = layer_times(trace);
  const auto other_side =
      names_layers(graph, trace) ? by_name(graph, trace) : counterparts(graph, trace);
  std::vector<bool> used(trace.layers.size());
  std::vector<ComparedLayer> out;
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    ComparedLayer row{.layer = graph.ops()[i].name,
                      .operation = "",
                      .predicted = planned.layers.at(i),
                      .measured = {}};
    if (other_side[i]) {
      used[*other_side[i]] = true;
      row.operation = text_of(trace.layers[*other_side[i]]);
      row.measured = measured[*other_side[i]];
    }
    if (row.matched() || has_time(row.predicted)) out.push_back(std::move(row));
  }
  for (std::size_t j = 0; j < trace.layers.size(); ++j) {
    if (used[j] || !has_time(measured[j])) continue;
    out.push_back({.layer = "",
                   .operation = text_of(trace.layers[j]),
                   .predicted = {},
                   .measured = measured[j]});
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
  out.simulated = names_layers(graph, trace);
  const PlannedTimes planned = planned_times(plan, !out.on_device && !out.simulated);
  out.layers = compared(graph, planned, trace);
  if (out.simulated) out.joined = join_layers_of_job(plan, out.layers);
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
