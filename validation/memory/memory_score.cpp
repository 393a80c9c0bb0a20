#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/data_directory.h"
#include "core/error.h"
#include "model/cost/gpu.h"
#include "model/graph/rewrite/fused_attention.h"
#include "model/graph/rewrite/precision.h"
#include "model/graph/rewrite/recomputation.h"
#include "model/graph/rewrite/unrolled_recurrence.h"
#include "model/hardware/device_catalog.h"
#include "model/import/imported_model.h"
#include "simulator/frameworks/framework.h"
#include "simulator/strategies/parts/strategy_memory.h"
#include "validation/memory/memory_set.h"

namespace paceline {
namespace {

// Bytes alive when forward has ended, and the most before.
struct Forward {
  std::int64_t after = 0, peak = 0;
};
Forward forward_of(const MemoryTape& tape) {
  Forward out;
  tape.replay([&](std::size_t event, const MemoryTape::Usage& usage) {
    if (tape.steps()[tape.events()[event].step].phase > TapePhase::kForward) return;
    out.after = total(usage);
    out.peak = std::max(out.peak, out.after);
  });
  return out;
}

CellStyle cell_style(const std::string& name) {
  if (name == "two-products") return CellStyle::kTwoProducts;
  if (name == "concatenated-input") return CellStyle::kConcatenatedInput;
  if (name == "hoisted-input") return CellStyle::kHoistedInput;
  throw InputError("cells: found \"" + name +
                   "\"; use two-products, concatenated-input or hoisted-input");
}

// 16-bit weights rather than autocast: as the case says, or by the default of its strategy.
bool is_uniform(const MemoryCase& c) {
  if (element_size(c.precision) >= Bytes(4)) return false;
  return c.uniform || strategy_registry().make(c.strategy)->settings_at_16_bits().contains("mixed");
}

WorkloadGraph graph_of(const WorkloadRegistry& workloads, const MemoryCase& c) {
  const std::filesystem::path file = data_directory() / c.model;
  const std::string model = workloads.find(c.model) == nullptr ? file.string() : c.model;
  const ImportedModel imported = load_model(workloads, model);
  WorkloadGraph graph = build_workload(imported.name, imported.workload,
                                       {.batch = c.batch, .seq = c.seq, .choose = c.options});
  if (!c.cells.empty()) graph = with_unrolled_recurrence(graph, cell_style(c.cells));
  if (c.fused_attention) graph = with_fused_attention(std::move(graph));
  graph = with_precision(std::move(graph), c.precision,
                         is_uniform(c) ? MixedPrecision::kUniform : MixedPrecision::kAutocast);
  return with_recomputation(std::move(graph), parse_recomputation(c.recompute));
}

// What a device keeps does not depend on where the others are: all are in one machine.
StrategyMemory strategy_of(const MemoryCase& c, const WorkloadGraph& graph) {
  const std::unique_ptr<const Strategy> strategy = strategy_registry().make(c.strategy);
  JobSpec job;
  job.group = {1, c.devices};
  for (const Op& op : graph.ops()) job.profile.layers.push_back(op.name);
  job.profile.gradients =
      gradient_tensors(graph, is_uniform(c) ? element_size(c.precision) : Bytes(4));
  return strategy_memory(job, *strategy,
                         StrategyOptions(c.strategy, all_options(*strategy), c.strategy_options));
}

}  // namespace

MemoryScorer::MemoryScorer() : workloads_(workload_registry()) {}

MemoryQuantities MemoryScorer::predict(const MemoryCase& c) const {
  MemoryRequest request;
  request.framework = c.framework;
  request.setting.threads = c.threads;
  request.setting.state = model_state(c.optimizer, c.precision, is_uniform(c));
  ModelStateSizes& state = request.setting.state;
  state.weight = c.weight_bytes.value_or(state.weight);
  state.gradient = c.gradient_bytes.value_or(state.gradient);
  state.master = c.master_bytes.value_or(state.master);
  const WorkloadGraph graph = graph_of(workloads_, c);
  request.setting.strategy = strategy_of(c, graph);
  std::optional<GpuCostModel> costs;
  if (c.device == "cpu") {
    request.setting.device = DeviceKind::kCpu;
  } else {
    const DeviceSpec spec = DeviceCatalog::shipped().at(c.device);
    request.architecture = spec.architecture;
    costs.emplace(GpuCostModel::for_device(spec));
    request.setting.workspace = [&](const Kernel& kernel) {
      return costs->choice(kernel, {}).workspace;
    };
  }
  const MemoryResult result = memory_.predict(graph, request);
  const MemoryUse& use = result.use;
  const Forward forward = forward_of(result.tape);
  MemoryQuantities answer;
  answer.bytes = {{"weights", use.weights},
                  {"weight_gradients", use.weight_gradients},
                  {"optimizer_state", use.optimizer_state},
                  {"feature_maps", use.feature_maps},
                  {"workspace", use.workspace},
                  {"communication", use.communication},
                  {"input", use.input},
                  {"alive", use.peak() - use.slack - use.context},
                  {"total", use.peak()},
                  {"reserved", use.peak() - use.context},
                  {"after_forward", forward.after},
                  {"forward_peak", forward.peak}};
  if (!request.architecture.empty()) answer.context = memory_.context(request.architecture);
  answer.family = memory_.policies().make(c.framework)->family();
  return answer;
}

namespace {

// Only "total" has the context in it.
void add_interval(const MemorySpread& spread, const GpuContext& context, MemoryError& error) {
  MemoryUse use;
  const bool whole = error.quantity == "total";
  if (whole) use.context = context.bytes;
  use.feature_maps = error.predicted - use.context;
  set_interval(spread, whole ? context : GpuContext{}, {}, use);
  error.p05 = use.p05();
  error.p95 = use.p95();
}

}  // namespace

std::vector<MemoryError> score(const MemorySet& set, const MemoryScorer& scorer) {
  const MemoryResiduals others = MemoryResiduals::shipped(set.name);
  std::vector<MemoryError> out;
  for (const MemoryCase& c : set.cases) {
    const MemoryQuantities answer = scorer.predict(c);
    for (const auto& [quantity, measured] : c.measured) {
      const auto found = answer.bytes.find(quantity);
      if (found == answer.bytes.end()) {
        throw InputError("memory set " + set.name + ", case " + c.name +
                         ": there is no quantity \"" + quantity + "\"");
      }
      MemoryError error{set.name, c.name,        quantity,          c.batch,
                        measured, found->second, c.excluded.empty()};
      error.assumed = !c.assumed.empty();
      error.family = answer.family;
      error.device = c.device == "cpu" ? DeviceKind::kCpu : DeviceKind::kGpu;
      if (error.is_total()) {
        add_interval(others.of(error.family, error.device), answer.context, error);
      }
      out.push_back(std::move(error));
    }
  }
  return out;
}

std::vector<SetResiduals> memory_residuals(const std::vector<MemorySet>& sets,
                                           const MemoryScorer& scorer) {
  std::vector<SetResiduals> out;
  for (const MemorySet& set : sets) {
    for (const MemoryError& e : score(set, scorer)) {
      if (!e.counted || !e.is_total()) continue;
      if (out.empty() || out.back().set != set.name || out.back().family != e.family ||
          out.back().device != e.device) {
        out.push_back({set.name, set.source, e.family, e.device, {}});
      }
      out.back().errors.push_back(-std::log1p(e.error()));
    }
  }
  return out;
}

}  // namespace paceline
