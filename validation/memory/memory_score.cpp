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
#include "simulator/memory/sharding.h"
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

WorkloadGraph graph_of(const WorkloadRegistry& workloads, const MemoryCase& c) {
  const std::filesystem::path file = data_directory() / c.model;
  const std::string model = workloads.find(c.model) == nullptr ? file.string() : c.model;
  const ImportedModel imported = load_model(workloads, model);
  WorkloadGraph graph = build_workload(imported.name, imported.workload,
                                       {.batch = c.batch, .seq = c.seq, .choose = c.options});
  if (!c.cells.empty()) graph = with_unrolled_recurrence(graph, cell_style(c.cells));
  if (c.fused_attention) graph = with_fused_attention(std::move(graph));
  graph = with_precision(std::move(graph), c.precision,
                         c.uniform ? MixedPrecision::kUniform : MixedPrecision::kAutocast);
  return with_recomputation(std::move(graph), parse_recomputation(c.recompute));
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
  request.setting.state = model_state(c.optimizer, c.precision, c.uniform);
  ModelStateSizes& state = request.setting.state;
  state.weight = c.weight_bytes.value_or(state.weight);
  state.gradient = c.gradient_bytes.value_or(state.gradient);
  state.master = c.master_bytes.value_or(state.master);
  const WorkloadGraph graph = graph_of(workloads_, c);
  request.setting.strategy = c.strategy;
  if (c.sharded > 1) {
    request.setting.strategy = sharded_state(Sharded::kWeights, c.sharded, graph, state);
  }
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
      out.push_back({set.name, c.name, quantity, measured, found->second, c.excluded.empty()});
    }
  }
  return out;
}

namespace {

double median_error(const std::vector<MemoryError>& errors, bool totals) {
  std::vector<double> sizes;
  for (const MemoryError& e : errors) {
    if (e.counted && e.is_total() == totals) sizes.push_back(std::abs(e.error()));
  }
  return sizes.empty() ? 0 : quantile(sizes, 0.5);
}

}  // namespace

std::string memory_accuracy_text(const std::vector<MemorySet>& sets, const MemoryScorer& scorer) {
  Table summary({"set", "cases", "median error of totals", "largest", "limit",
                 "median error of categories", "limit"});
  std::string details;
  for (const MemorySet& set : sets) {
    const std::vector<MemoryError> errors = score(set, scorer);
    double largest = 0;
    Table table({"case", "quantity", "measured MB", "predicted MB", "error"});
    for (const MemoryError& e : errors) {
      if (e.counted && e.is_total()) largest = std::max(largest, std::abs(e.error()));
      table.add_row({e.name, e.quantity, megabytes(e.measured), megabytes(e.predicted),
                     percent(e.error()) + (e.counted ? "" : " (not counted)")});
    }
    summary.add_row({set.name, std::to_string(set.cases.size()),
                     percent(median_error(errors, true)), percent(largest),
                     percent(set.total_limit), percent(median_error(errors, false)),
                     percent(set.category_limit)});
    details += "\n## " + set.name + "\n\n" + set.summary + ".\nSource: " + set.source + ".\n\n";
    for (const MemoryCase& c : set.cases) {
      if (!c.excluded.empty()) details += "- " + c.name + " is not counted: " + c.excluded + "\n";
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
