#include "model/graph/workload.h"

#include <algorithm>

#include "model/graph/rewrite/precision.h"

namespace paceline {
namespace {

std::string choose_variant(const std::string& name, const Workload& workload,
                           const WorkloadOptions& options) {
  for (const auto& [key, value] : options.choose) {
    if (key != "variant") {
      throw UsageError(
          unknown_name_message("option of " + name, key, std::vector<std::string>{"variant"}));
    }
  }
  const auto chosen = options.choose.find("variant");
  if (workload.variants.empty()) {
    if (chosen == options.choose.end()) return "";
    throw UsageError(name + " has no variants; found variant=" + chosen->second);
  }
  if (chosen == options.choose.end()) return workload.variants.front().name;
  std::vector<std::string> names;
  for (const WorkloadVariant& variant : workload.variants) {
    names.push_back(variant.name);
    if (normalized_name(variant.name) == normalized_name(chosen->second)) return variant.name;
  }
  throw UsageError(unknown_name_message("variant of " + name, chosen->second, names));
}

std::int64_t choose_seq(const std::string& name, const Workload& workload,
                        const WorkloadOptions& options) {
  if (!workload.default_seq) {
    if (!options.seq) return 0;
    throw UsageError(name + " has no sequence; found a sequence length of " +
                     std::to_string(*options.seq));
  }
  const std::int64_t wanted = options.seq.value_or(*workload.default_seq);
  if (wanted < 1) {
    throw UsageError(name + ": the sequence length is " + std::to_string(wanted) +
                     "; it must be at least 1");
  }
  const std::int64_t most =
      workload.buckets.empty() ? workload.max_seq.value_or(wanted) : workload.buckets.back();
  if (wanted > most) {
    throw UsageError(name + ": the sequence length is " + std::to_string(wanted) +
                     "; it can be at most " + std::to_string(most));
  }
  if (workload.buckets.empty()) return wanted;
  return *std::lower_bound(workload.buckets.begin(), workload.buckets.end(), wanted);
}

}  // namespace

WorkloadRegistry workload_registry() {
  WorkloadRegistry registry("model");
  register_all(registry);
  return registry;
}

WorkloadGraph build_workload(const WorkloadRegistry& registry, std::string_view name,
                             const WorkloadOptions& options) {
  const auto workload = registry.make(name);
  return build_workload(registry.find(name)->name, *workload, options);
}

WorkloadGraph build_workload(const std::string& name, const Workload& workload,
                             const WorkloadOptions& options) {
  WorkloadBuilder builder(name, options.batch);
  const WorkloadConfig config{.batch = options.batch,
                              .seq = choose_seq(name, workload, options),
                              .variant = choose_variant(name, workload, options)};
  workload.build(builder, config);
  WorkloadGraph graph = std::move(builder).build();
  if (options.precision) return with_precision(std::move(graph), *options.precision);
  return graph;
}

std::vector<WorkloadListing> list_workloads(const WorkloadRegistry& registry) {
  std::vector<WorkloadListing> listings;
  for (const auto& entry : registry.entries()) {
    const auto workload = entry.make();
    const WorkloadGraph graph = build_workload(registry, entry.name, {});
    listings.push_back({.name = entry.name,
                        .summary = entry.summary,
                        .input = workload->input,
                        .source = workload->source,
                        .parameters = graph.parameters(),
                        .forward_flops_per_sample = graph.forward_flops(),
                        .seq = workload->default_seq,
                        .variants = workload->variants});
  }
  return listings;
}

}  // namespace paceline
