// A network of the catalog: what can be chosen about it and how its graph is built. One file in
// model/graph/builders per network or family registers its names (docs/extending.md).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/registry.h"
#include "model/graph/workload_builder.h"

namespace paceline {

// What the user chose. Names and values are checked by build_workload.
struct WorkloadOptions {
  std::int64_t batch = 1;                       // samples per device and iteration
  std::optional<std::int64_t> seq{};            // sequence length, if the workload has one
  std::optional<Precision> precision{};         // of the matrix operations; fp32 if absent
  std::map<std::string, std::string> choose{};  // "variant" -> "tf-same-padding"
};

// The same with every default filled in, as the builder function receives it.
struct WorkloadConfig {
  std::int64_t batch = 1;
  std::int64_t seq = 0;  // 0 for workloads without a sequence
  std::string variant;   // empty if there is only one
};

struct WorkloadVariant {
  std::string name;
  std::string summary;
};

struct Workload {
  std::string source;  // where the definition comes from
  std::string input;   // one sample: "3x224x224 image", "token ids"
  // The first is the default; empty if there is no choice.
  std::vector<WorkloadVariant> variants{};
  std::optional<std::int64_t> default_seq{};
  std::optional<std::int64_t> max_seq{};  // such as the number of learned positions
  // Lengths that are executed; a sequence is padded to the next one. Empty: any length.
  std::vector<std::int64_t> buckets{};
  std::function<void(WorkloadBuilder&, const WorkloadConfig&)> build;
};

using WorkloadRegistry = Registry<Workload>;

// Adds every network of model/graph/builders (generated).
void register_all(WorkloadRegistry& registry);
// A registry with all of them.
WorkloadRegistry workload_registry();

// Throws UsageError with the nearest names for an unknown network, option or variant, and for a
// batch or sequence that the network cannot have.
WorkloadGraph build_workload(const WorkloadRegistry& registry, std::string_view name,
                             const WorkloadOptions& options);

// The same for a network that is not in the catalog, such as one read from a file.
WorkloadGraph build_workload(const std::string& name, const Workload& workload,
                             const WorkloadOptions& options);

// One line of `paceline list workloads`, at the defaults.
struct WorkloadListing {
  std::string name;
  std::string summary;
  std::string input;
  std::string source;
  std::int64_t parameters = 0;
  Flops forward_flops_per_sample;
  std::optional<std::int64_t> seq;
  std::vector<WorkloadVariant> variants{};
};
std::vector<WorkloadListing> list_workloads(const WorkloadRegistry& registry);

}  // namespace paceline
