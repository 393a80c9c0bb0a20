// paceline transfer: how long a copy between host and device, or between devices, takes.
#include <nlohmann/json.hpp>

#include "cli/cluster_flags.h"
#include "cli/output.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "model/hardware/copy_model.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

CopyDirection read_direction(const Arguments& arguments) {
  const std::vector<std::string> known{"h2d", "d2h", "d2d"};
  const std::string text = arguments.text("direction");
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (normalized_name(text) == known[i]) return static_cast<CopyDirection>(i);
  }
  throw UsageError(unknown_name_message("direction", text, known));
}

HostMemory read_memory(const Arguments& arguments) {
  const std::vector<std::string> known{"pinned", "pageable"};
  const std::string text = arguments.text_or("memory", "pinned");
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (normalized_name(text) == known[i]) return static_cast<HostMemory>(i);
  }
  throw UsageError(unknown_name_message("memory", text, known));
}

// --link is --intra with as many devices as the copy needs.
Arguments with_link(const Arguments& arguments, CopyDirection direction) {
  if (arguments.has("cluster") || arguments.has("topo")) {
    if (arguments.has("link")) throw UsageError("--link contradicts --cluster and --topo");
    return arguments;
  }
  std::map<std::string, std::vector<std::string>> values;
  values["intra"] = {arguments.text("link")};
  values["gpus"] = {direction == CopyDirection::kDeviceToDevice ? "2" : "1"};
  if (arguments.has("device")) values["device"] = arguments.all("device");
  return {arguments.argv(), std::move(values), arguments.out()};
}

std::size_t device_of(const ClusterSpec& cluster, const Arguments& arguments, const char* flag,
                      std::int64_t fallback) {
  const std::vector<std::size_t> devices = cluster.machine.of_kind(NodeKind::kDevice);
  const std::int64_t index = arguments.has(flag)
                                 ? parse_count(flag_text(flag), arguments.text(flag), 0,
                                               static_cast<std::int64_t>(devices.size()) - 1)
                                 : fallback;
  if (index >= static_cast<std::int64_t>(devices.size())) {
    throw UsageError("a copy between devices needs two; " + cluster.name + " has " +
                     std::to_string(devices.size()));
  }
  return devices[static_cast<std::size_t>(index)];
}

ExitCode run(const Arguments& arguments) {
  const CopyDirection direction = read_direction(arguments);
  const HostMemory memory = read_memory(arguments);
  const Bytes bytes = parse_bytes(arguments.text("bytes"));
  const ClusterSpec cluster = read_cluster_choice(with_link(arguments, direction)).cluster;
  const CopyModel model = CopyModel::shipped();
  const MachinePaths paths(cluster.machine, model.staging());
  const std::size_t from = device_of(cluster, arguments, "from", 0);
  const MachinePath path = direction == CopyDirection::kHostToDevice ? paths.from_host(from)
                           : direction == CopyDirection::kDeviceToHost
                               ? paths.to_host(from)
                               : paths.between(from, device_of(cluster, arguments, "to", 1));
  const CopyCost cost = model.cost(bytes, direction, memory, path);
  const std::string limit = cost.limited_by_host ? "copies of the processor into pinned memory"
                                                 : paths.describe(path.hops[path.slowest]);
  if (read_format(arguments) == OutputFormat::kJson) {
    const ordered_json json = {{"schema", "paceline.transfer/1"},
                               {"config",
                                {{"direction", arguments.text("direction")},
                                 {"bytes", bytes.si()},
                                 {"memory", arguments.text_or("memory", "pinned")},
                                 {"machine", cluster.name}}},
                               {"time_s",
                                {{"median", cost.time.si()},
                                 {"p05", cost.quantile(0.05).si()},
                                 {"p95", cost.quantile(0.95).si()}}},
                               {"rate_bytes_per_s", (bytes / cost.time).si()},
                               {"path", to_string(path.kind)},
                               {"bottleneck", limit},
                               {"warnings", cluster.warnings}};
    write_result(arguments, to_json_text(json));
    return ExitCode::kOk;
  }
  Table table({"time", "from", "to", "rate", "path", "bottleneck"});
  table.add_row({to_text(cost.time), to_text(cost.quantile(0.05)), to_text(cost.quantile(0.95)),
                 to_text(bytes / cost.time), std::string(to_string(path.kind)), limit});
  write_result(arguments, table.to_string(table_format(read_format(arguments))));
  return ExitCode::kOk;
}

}  // namespace

void register_transfer(CommandList& commands) {
  std::vector<FlagSpec> flags = {
      {.name = "direction", .value = "h2d|d2h|d2d", .summary = "which way the copy goes"},
      {.name = "bytes", .value = "SIZE", .summary = "size of the copy, \"64 MiB\""},
      {.name = "memory", .value = "pinned|pageable", .summary = "host memory; default pinned"},
      {.name = "link", .value = "LINK", .summary = "link of the device, pcie3-x16"},
      {.name = "from", .value = "I", .summary = "device of --cluster or --topo, from 0"},
      {.name = "to", .value = "J", .summary = "the other device of a d2d copy"},
      {.name = "device", .value = "NAME", .summary = "device of the catalog"},
      {.name = "cluster", .value = "NAME|FILE", .summary = "a whole machine"},
      {.name = "topo", .value = "FILE", .summary = "output of nvidia-smi topo -m"}};
  for (const FlagSpec& flag : output_flags()) flags.push_back(flag);
  commands.add({.name = "transfer",
                .summary = "time of a copy between host and device or between devices",
                .example = "paceline transfer --direction h2d --bytes \"64 MiB\" --link pcie3-x16",
                .flags = flags,
                .positionals = {},
                .run = run});
}

}  // namespace paceline
