// paceline list KIND: what there is to choose from.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibration/recipe_catalog.h"
#include "cli/colour.h"
#include "cli/device_listing.h"
#include "cli/fabric_listing.h"
#include "cli/first_screen.h"
#include "cli/output.h"
#include "cli/strategy_listing.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "core/screen_text.h"
#include "core/units_text.h"
#include "microbench/measure.h"
#include "model/graph/workload.h"
#include "simulator/frameworks/framework.h"
#include "validation/harness/validation_set.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

// One row per thing: the fields a terminal shows, and everything for programs.
struct Listing {
  std::vector<std::string> columns;
  ordered_json rows = ordered_json::array();
};

// What one dispatch to a GPU costs where nobody measured it.
ordered_json gpu_host(const FrameworkInfo& info) {
  if (!info.gpu_host) return nullptr;
  return {{"call_s", info.gpu_host->call.si()},
          {"log_sd", info.gpu_host->log_sd},
          {"launch_latency_s", info.gpu_host->launch_latency.si()},
          {"source", info.gpu_host->source}};
}

ordered_json options_on_gpus(const Framework& framework) {
  ordered_json options = ordered_json::array();
  for (const FrameworkOption& option : framework.options(DeviceKind::kGpu)) {
    options.push_back({{"name", option.name},
                       {"default", option.value},
                       {"allowed", option.allowed},
                       {"summary", option.summary}});
  }
  return options;
}

Listing list_frameworks() {
  Listing listing{{"name", "version", "devices", "default_strategy", "summary"}};
  FrameworkRegistry registry("framework");
  register_all(registry);
  for (const auto& entry : registry.entries()) {
    const auto framework = entry.make();
    const FrameworkInfo info = framework->info();
    listing.rows.push_back({{"name", entry.name},
                            {"summary", entry.summary},
                            {"version", info.version},
                            {"devices", info.devices},
                            {"default_strategy", info.default_strategy},
                            {"gpu_host", gpu_host(info)},
                            {"gpu_options", options_on_gpus(*framework)},
                            {"sources", info.sources}});
  }
  return listing;
}

Listing list_networks() {
  Listing listing{{"name", "parameters", "forward", "input", "summary"}};
  for (const WorkloadListing& workload : list_workloads(workload_registry())) {
    ordered_json variants = ordered_json::array();
    for (const WorkloadVariant& variant : workload.variants) {
      variants.push_back({{"name", variant.name}, {"summary", variant.summary}});
    }
    ordered_json row = {{"name", workload.name},
                        {"summary", workload.summary},
                        {"parameters", workload.parameters},
                        {"forward_flops_per_sample", workload.forward_flops_per_sample.si()},
                        {"forward", to_text(workload.forward_flops_per_sample)},
                        {"input", workload.input},
                        {"variants", std::move(variants)},
                        {"source", workload.source}};
    if (workload.seq) row["seq"] = *workload.seq;
    listing.rows.push_back(std::move(row));
  }
  std::sort(listing.rows.begin(), listing.rows.end(),
            [](const ordered_json& a, const ordered_json& b) { return a["name"] < b["name"]; });
  return listing;
}

Listing list_microbenchmarks() {
  Listing listing{{"name", "shapes", "quick_shapes", "summary", "unsupported"}};
  for (const BenchmarkInfo& benchmark : list_benchmarks()) {
    listing.rows.push_back({{"name", benchmark.name},
                            {"summary", benchmark.summary},
                            {"shapes", benchmark.full_shapes},
                            {"quick_shapes", benchmark.quick_shapes},
                            {"unsupported", benchmark.unsupported}});
  }
  return listing;
}

Listing list_validation_sets() {
  Listing listing{{"name", "regime", "summary"}};
  for (const ValidationSet& set : shipped_validation_sets({})) {
    listing.rows.push_back({{"name", set.name}, {"regime", set.regime}, {"summary", set.summary}});
  }
  return listing;
}

Listing list_recipes() {
  Listing listing{{"name", "fits", "summary"}};
  for (const RecipeEntry& recipe : shipped_recipes()) {
    const bool of_gpus = recipe.kind == RecipeKind::kGpuKernels;
    listing.rows.push_back({{"name", recipe.name},
                            {"fits", of_gpus ? "GPU kernels" : "collectives"},
                            {"summary", recipe.summary}});
  }
  return listing;
}

struct Kind {
  const char* name;
  Listing (*list)();
};
constexpr Kind kKinds[] = {
    {"benchmarks", list_microbenchmarks},
    {"clusters",
     [] {
       return Listing{{"name", "devices", "network", "summary"}, list_clusters()};
     }},
    {"collectives",
     [] {
       return Listing{{"name", "operations", "summary"}, list_collectives()};
     }},
    {"devices",
     [] {
       return Listing{{"name", "architecture", "released", "memory", "capacity", "bandwidth",
                       "fp32_peak", "matrix_peak", "summary"},
                      list_devices()};
     }},
    {"frameworks", list_frameworks},
    {"links",
     [] {
       return Listing{{"name", "kind", "rate", "achieved", "latency", "summary"}, list_links()};
     }},
    {"recipes", list_recipes},
    {"strategies",
     [] {
       return Listing{{"name", "summary"}, list_strategies()};
     }},
    {"validation-sets", list_validation_sets},
    {"workloads", list_networks}};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

Listing list_kind(const std::string& name) {
  for (const Kind& kind : kKinds) {
    if (same_name(name, kind.name)) return kind.list();
  }
  throw UsageError(unknown_name_message("kind", name, kind_names()));
}

ExitCode run(const Arguments& arguments) {
  const Listing listing = list_kind(arguments.text_or("KIND", ""));
  const OutputFormat format = read_format(arguments);
  const bool all = wants_all(arguments);
  if (format == OutputFormat::kJson) {
    write_result(arguments, to_json_text(listing.rows));
    return ExitCode::kOk;
  }
  Table table(listing.columns);
  for (const ordered_json& row : listing.rows) {
    std::vector<std::string> cells;
    for (const std::string& column : listing.columns) {
      cells.push_back(row[column].is_string() ? row[column].get<std::string>()
                                              : row[column].dump());
    }
    table.add_row(std::move(cells));
  }
  std::string text = table.to_string(table_format(format));
  // Programs that read it, and pagers, get the whole list.
  if (format == OutputFormat::kText && !all && is_on_terminal(arguments)) {
    text = first_lines(lines_of(text), kScreenRows, "", "more (--all lists them)");
  }
  write_result(arguments, text);
  return ExitCode::kOk;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> out = {all_flag("the whole list, on a terminal too")};
  for (FlagSpec& flag : output_flags()) out.push_back(std::move(flag));
  return out;
}

}  // namespace

void register_list(CommandList& commands) {
  commands.add({.name = "list",
                .summary = "what there is to choose from (paceline list KIND)",
                .example = "paceline list frameworks",
                .flags = flags(),
                .positionals = {"KIND"},
                .choices = {{"KIND", kind_names()}},
                .run = run});
}

}  // namespace paceline
