#include "cli/collective_log.h"

#include <algorithm>
#include <optional>

#include "answers/check/collective_check.h"
#include "cli/cluster_flags.h"
#include "model/hardware/copy_model.h"
#include "traces/import/nccl_tests.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostRanks = 1'000'000;

std::optional<ClusterChoice> cluster_of(const Arguments& arguments) {
  for (const char* flag : {"cluster", "topo", "intra", "net"}) {
    if (arguments.has(flag)) return read_cluster_choice(arguments);
  }
  return std::nullopt;
}

// What a log does not say, the machine says that it is held against.
CollectiveImportOptions import_options(const Arguments& arguments,
                                       const std::optional<ClusterChoice>& choice) {
  CollectiveImportOptions options;
  options.ranks_flag = "--gpus or --cluster";
  options.machines_flag = "--gpus-per-node or --cluster";
  options.operation = arguments.find("op");
  if (arguments.has("gpus")) {
    options.ranks = static_cast<int>(arguments.count_or("gpus", 1, kMostRanks));
    const auto per_machine =
        static_cast<int>(arguments.count_or("gpus-per-node", *options.ranks, kMostRanks));
    options.otherwise_machines = (*options.ranks + per_machine - 1) / per_machine;
  }
  if (choice) {
    options.otherwise_ranks = choice->ranks;
    options.otherwise_machines = group_of(choice->cluster, choice->ranks).machines;
  }
  return options;
}

int ranks_of(const MeasurementSet& measured) {
  int most = 0;
  for (const Measurement& m : measured.results) {
    most = std::max(most, static_cast<int>(m.count("ranks")));
  }
  return most;
}

}  // namespace

CheckResult check_collective_log(const Arguments& arguments, const std::string& text,
                                 const std::string& file) {
  std::optional<ClusterChoice> choice = cluster_of(arguments);
  const MeasurementSet measured = import_nccl_tests(text, file, import_options(arguments, choice));
  if (!choice) return {check_collectives(measured, std::nullopt), {}};
  // A run on part of the machine is held against that part.
  if (!arguments.has("gpus") && ranks_of(measured) < choice->ranks) {
    choice = read_cluster_choice(arguments.with("gpus", std::to_string(ranks_of(measured))));
  }
  const LinkCatalog links = LinkCatalog::shipped();
  const CollectiveModel model = CollectiveModel::shipped();
  const CollectiveFabric fabric{
      &model,
      fabric_group(choice->cluster, group_of(choice->cluster, choice->ranks),
                   CopyModel::shipped().staging(), model.tuning(), choice->generation,
                   choice->connections),
      &links};
  return {check_collectives(measured, fabric), {}};
}

}  // namespace paceline
