#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/percent.h"
#include "core/statistics.h"
#include "core/table.h"
#include "core/units_text.h"
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
  return strategy_memory(job, *strategy, StrategyOptions(c.strategy, all_options(*strategy), {}));
}

std::string megabytes(std::int64_t bytes) {
  return significant(static_cast<double>(bytes) / 1e6, 4);
}

}  // namespace

MemoryScorer::MemoryScorer() : workloads_(workload_registry()) {}

std::map<std::string, std::int64_t> MemoryScorer::predict(const MemoryCase& c) const {
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
  return {{"weights", use.weights},
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
}

std::vector<MemoryError> score(const MemorySet& set, const MemoryScorer& scorer) {
  std::vector<MemoryError> out;
  for (const MemoryCase& c : set.cases) {
    const std::map<std::string, std::int64_t> predicted = scorer.predict(c);
    for (const auto& [quantity, measured] : c.measured) {
      const auto found = predicted.find(quantity);
      if (found == predicted.end()) {
        throw InputError("memory set " + set.name + ", case " + c.name +
                         ": there is no quantity \"" + quantity + "\"");
      }
      out.push_back(
          {set.name, c.name, quantity, c.batch, measured, found->second, c.excluded.empty()});
    }
  }
  return out;
}

std::optional<double> slope_error(const std::vector<MemoryError>& errors) {
  std::vector<const MemoryError*> totals;
  double mean = 0;
  for (const MemoryError& e : errors) {
    if (!e.counted || e.quantity != "total") continue;
    totals.push_back(&e);
    mean += static_cast<double>(e.batch);
  }
  if (totals.size() < 3) return std::nullopt;
  mean /= static_cast<double>(totals.size());
  double measured = 0, predicted = 0;  // both times the variance of the batch
  for (const MemoryError* e : totals) {
    const double away = static_cast<double>(e->batch) - mean;
    measured += away * static_cast<double>(e->measured);
    predicted += away * static_cast<double>(e->predicted);
  }
  return predicted / measured - 1;
}

namespace {

// Of totals or of categories; of those that are not counted as well if `all`.
std::optional<double> median_error(const std::vector<MemoryError>& errors, bool totals,
                                   bool all = false) {
  std::vector<double> sizes;
  for (const MemoryError& e : errors) {
    if ((e.counted || all) && e.is_total() == totals) sizes.push_back(std::abs(e.error()));
  }
  if (sizes.empty()) return std::nullopt;
  return quantile(sizes, 0.5);
}

// "-" where nothing was measured.
std::string percent_or_dash(std::optional<double> share) { return share ? percent(*share) : "-"; }

}  // namespace

std::string memory_accuracy_text(const std::vector<MemorySet>& sets, const MemoryScorer& scorer) {
  Table summary({"set", "cases", "median error of totals", "largest", "limit",
                 "median error of categories", "limit"});
  std::string details;
  for (const MemorySet& set : sets) {
    const std::vector<MemoryError> errors = score(set, scorer);
    std::optional<double> largest;
    Table table({"case", "quantity", "measured MB", "predicted MB", "error"});
    for (const MemoryError& e : errors) {
      if (e.counted && e.is_total()) largest = std::max(largest.value_or(0), std::abs(e.error()));
      table.add_row({e.name, e.quantity, megabytes(e.measured), megabytes(e.predicted),
                     percent(e.error()) + (e.counted ? "" : " (not counted)")});
    }
    summary.add_row({set.name, std::to_string(set.cases.size()),
                     percent_or_dash(median_error(errors, true)), percent_or_dash(largest),
                     percent(set.total_limit), percent_or_dash(median_error(errors, false)),
                     percent(set.category_limit)});
    const bool some_excluded =
        std::ranges::any_of(set.cases, [](const MemoryCase& c) { return !c.excluded.empty(); });
    details += "\n## " + set.name + "\n\n" + set.summary + ".\nSource: " + set.source + ".\n\n";
    for (const MemoryCase& c : set.cases) {
      if (!c.excluded.empty()) details += "- " + c.name + " is not counted: " + c.excluded + "\n";
    }
    if (some_excluded) {
      details += "- With what is not counted the median error would be " +
                 percent_or_dash(median_error(errors, true, true)) + " of totals and " +
                 percent_or_dash(median_error(errors, false, true)) + " of categories\n";
    }
    if (const auto slope = slope_error(errors)) {
      details += "- Growth of the total with the batch (least squares over the sweep): " +
                 percent(*slope) + "\n";
    }
    details += "\n" + table.to_string(TableFormat::kMarkdown);
  }
  return "<!-- Written by PACELINE_UPDATE_DOCS=1 paceline_validation_test "
         "--gtest_filter='MemoryAccuracy.*'. -->\n\n"
         "# Accuracy: memory\n\n"
         "Predicted against measured bytes; nothing of these sets was used to set a parameter. "
         "What "
         "a quantity\nis: docs/models/memory.md.\n\n" +
         summary.to_string(TableFormat::kMarkdown) + details;
}

}  // namespace paceline
