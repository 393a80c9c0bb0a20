#include "simulator/frameworks/gpu/gpu_settings.h"

#include <limits>
#include <set>

#include "core/error.h"
#include "model/graph/rewrite/fused_attention.h"
#include "model/graph/rewrite/fusion.h"
#include "model/graph/rewrite/layout.h"
#include "model/graph/rewrite/precision.h"
#include "model/graph/rewrite/recomputation.h"
#include "model/graph/rewrite/unrolled_recurrence.h"

namespace paceline::gpu {

namespace {

WorkloadGraph with_recurrence(WorkloadGraph graph, const std::string& style) {
  if (style == "fused") return graph;
  if (style == "concatenated-input") {
    return with_unrolled_recurrence(graph, CellStyle::kConcatenatedInput);
  }
  if (style == "two-products") return with_unrolled_recurrence(graph, CellStyle::kTwoProducts);
  if (style == "hoisted-input") return with_unrolled_recurrence(graph, CellStyle::kHoistedInput);
  for (const Op& op : graph.ops()) {
    if (!std::holds_alternative<Rnn>(op.attributes)) continue;
    throw UsageError(graph.name() + ": layer " + op.name +
                     " is recurrent, which this framework has no layer for; --set rnn=fused");
  }
  return graph;
}

WorkloadGraph compiled(WorkloadGraph graph) {
  graph = with_fusion(std::move(graph), {.into_normalization = true});
  for (const Op& op : graph.ops()) {
    if (op.fusion_group != 0) return graph;
  }
  throw UsageError("--set compile=on has no effect: " + graph.name() +
                   " has no elementwise operations behind one another");
}

std::vector<std::string> recurrences(const GpuRecord& record) {
  std::vector<std::string> styles = {"fused", "concatenated-input", "two-products",
                                     "hoisted-input"};
  if (record.execution.recurrence == "none") styles.emplace_back("none");
  return styles;
}

}  // namespace

std::vector<FrameworkOption> common_options(const GpuRecord& record) {
  std::vector<std::string> optimizers;
  std::set<std::string> styles;
  for (const auto& [optimizer, of_optimizer] : record.update_passes) {
    optimizers.push_back(optimizer);
    for (const auto& [style, passes] : of_optimizer) styles.insert(style);
  }
  std::vector<FrameworkOption> options;
  if (record.host.graph_launch) {
    options.push_back(
        {"graphs", {"off", "on"}, "off", "replay a captured graph instead of dispatching", true});
  }
  if (record.execution.waits_for_each_operation) {
    options.push_back({"operations",
                       {"waited-for", "queued"},
                       "waited-for",
                       "the next operation is issued when the device has finished this one, or at "
                       "once, as versions since 0.12 do"});
  }
  if (record.execution.host_embedding) {
    options.push_back({"embedding",
                       {"host", "device"},
                       "host",
                       "where rows of embeddings are looked up and updated",
                       true});
  }
  if (record.compiles) {
    options.push_back({"compile",
                       {"off", "on"},
                       "off",
                       "chains of elementwise operations behind one another, and behind a "
                       "normalisation, run as one kernel",
                       true});
  }
  const auto& limit = record.execution.workspace_limit;
  const std::vector<FrameworkOption> common = {
      {"rnn", recurrences(record), record.execution.recurrence,
       "recurrent layers by one library call, or step by step", true},
      {.name = "workspace_limit",
       .allowed = {},
       .value = limit ? to_text(*limit) : "none",
       .summary = "scratch memory of one convolution, \"8 MiB\", or none",
       .of_layers = true,
       .example = "1 MiB"},
      {"layout",
       {"channels-first", "channels-last"},
       "channels-first",
       "order of the dimensions of images in memory",
       true},
      recomputation_option(),
      phases_option(),
      {"mixed",
       {"autocast", "uniform"},
       "autocast",
       "16 bits by casts around matrix operations, or everywhere but in the update",
       false,
       true},
      {.name = "optimizer",
       .allowed = optimizers,
       .value = "sgd",
       .summary = "the update rule",
       .of_update = true},
      {.name = "optimizer_style",
       .allowed = {styles.begin(), styles.end()},
       .value = record.update_style,
       .summary = "many tensors in one kernel, or each by itself",
       .of_update = true}};
  options.insert(options.end(), common.begin(), common.end());
  if (!record.fused_attention.empty()) {
    options.push_back({"attention",
                       {"auto", "fused", "unfused"},
                       "auto",
                       "one kernel that never stores the scores; auto: for 16-bit inputs, on GPUs "
                       "that have it"});
  }
  return options;
}

namespace {

bool fuses_attention(Precision precision, const DeviceSpec& device, const GpuRecord& record,
                     const FrameworkSettings& settings) {
  const auto found = settings.find("attention");
  if (found == settings.end() || found->second == "unfused") return false;
  const bool there = record.fuses_attention_on(device.architecture);
  if (found->second == "auto") return there && element_size(precision) < Bytes(4);
  if (there) return true;
  std::string known;
  for (const std::string& name : record.fused_attention)
    known += (known.empty() ? "" : ", ") + name;
  throw UsageError("--set attention=fused: the kernel runs on " + known + "; " + device.name +
                   " is " + device.architecture + ", where it is attention=unfused");
}

}  // namespace

WorkloadGraph prepare_graph(WorkloadGraph graph, Precision precision, const DeviceSpec& device,
                            const GpuRecord& record, const FrameworkSettings& settings) {
  device.peak(precision);  // throws if the device has no such arithmetic
  graph = with_recurrence(std::move(graph), settings.at("rnn"));
  if (fuses_attention(precision, device, record, settings)) {
    graph = with_fused_attention(std::move(graph));
  }
  if (settings.at("layout") == "channels-last") {
    graph = with_layout(std::move(graph), ImageLayout::kChannelsLast);
  }
  graph = with_precision(
      std::move(graph), precision,
      settings.at("mixed") == "uniform" ? MixedPrecision::kUniform : MixedPrecision::kAutocast);
  graph = with_recomputation(std::move(graph), parse_recomputation(settings.at("recompute")));
  const auto compile = settings.find("compile");
  if (compile == settings.end() || compile->second == "off") return graph;
  return compiled(std::move(graph));
}

Bytes workspace_limit(const FrameworkSettings& settings) {
  const std::string& text = settings.at("workspace_limit");
  if (text == "none") return Bytes(std::numeric_limits<double>::infinity());
  try {
    return parse_bytes(text);
  } catch (const UsageError& error) {
    throw UsageError("--set workspace_limit: " + std::string(error.what()));
  }
}

}  // namespace paceline::gpu
