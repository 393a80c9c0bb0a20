// paceline transfer: how long a copy between host and device, or between devices, takes; several
// that start at once share the links they meet on.
#include <nlohmann/json.hpp>

#include "cli/cluster_flags.h"
#include "cli/output.h"
#include "cli/sweep.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "model/hardware/copy_model.h"
#include "simulator/fabric/concurrent_copies.h"

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

// "0", "0,2,5": devices of the machine; each starts a copy at the same time.
std::vector<std::size_t> devices_of(const ClusterSpec& cluster, const Arguments& arguments,
                                    const char* flag, std::int64_t fallback) {
  const std::vector<std::size_t> devices = cluster.machine.of_kind(NodeKind::kDevice);
  const std::string text = arguments.text_or(flag, std::to_string(fallback));
  std::vector<std::size_t> out;
  for (const std::string& element : parse_names(flag_text(flag), text)) {
    const std::int64_t index = parse_count(flag_text(flag), element, 0, 1'000'000);
    if (index >= static_cast<std::int64_t>(devices.size())) {
      throw UsageError(flag_text(flag) + " " + element + ": " + cluster.name + " has " +
                       std::to_string(devices.size()) + " devices, counted from 0" +
                       (fallback == 1 ? "; a copy between devices needs two" : ""));
    }
    out.push_back(devices[static_cast<std::size_t>(index)]);
  }
  return out;
}

std::vector<MachinePath> read_paths(const ClusterSpec& cluster, const MachinePaths& paths,
                                    CopyDirection direction, const Arguments& arguments) {
  const std::vector<std::size_t> from = devices_of(cluster, arguments, "from", 0);
  std::vector<MachinePath> out;
  if (direction != CopyDirection::kDeviceToDevice) {
    if (arguments.has("to")) throw UsageError("--to is the other device of a d2d copy");
    for (const std::size_t device : from) {
      out.push_back(direction == CopyDirection::kHostToDevice ? paths.from_host(device)
                                                              : paths.to_host(device));
    }
    return out;
  }
  const std::vector<std::size_t> to = devices_of(cluster, arguments, "to", 1);
  if (from.size() != to.size()) {
    throw UsageError("--from names " + std::to_string(from.size()) + " devices and --to " +
                     std::to_string(to.size()) + "; each copy needs both");
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i]) throw UsageError("a copy from a device to itself crosses no link");
    out.push_back(paths.between(from[i], to[i]));
  }
  return out;
}

struct Answer {
  CopyCost cost;
  std::string path;
  std::string limit;
  std::string rate_source;  // of the slowest link's rate
  std::size_t copies = 1;
};

// One copy at its cost; several share the links they meet on.
Answer answer(const ClusterSpec& cluster, const CopyModel& model,
              const std::vector<MachinePath>& ways, CopyDirection direction, HostMemory memory,
              Bytes bytes) {
  const MachinePaths paths(cluster.machine, model.staging());
  Answer out;
  out.copies = ways.size();
  std::vector<CopyOverPath> copies;
  for (const MachinePath& path : ways) {
    const CopyCost cost = model.cost(bytes, direction, memory, path);
    copies.push_back({path, cost.time});
    if (cost.time <= out.cost.time) continue;
    out.cost = cost;
    out.path = to_string(path.kind);
    out.limit = cost.limited_by_host ? "copies of the processor into pinned memory"
                                     : paths.describe(path.hops[path.slowest]);
    const LinkSpec& slowest = cluster.machine.links[path.hops[path.slowest].link.link].link;
    const auto source = slowest.sources.find("achieved");
    out.rate_source = slowest.name + (source == slowest.sources.end() ? "" : ", " + source->second);
  }
  if (ways.size() == 1) return out;
  const ConcurrentCopies together = time_of_copies(cluster, model.staging(), copies, bytes);
  out.cost.time = together.time;
  if (together.is_contended) out.limit = together.shared + ", shared by the copies";
  return out;
}

ExitCode run(const Arguments& arguments) {
  const CopyDirection direction = read_direction(arguments);
  const HostMemory memory = read_memory(arguments);
  const bool host = direction != CopyDirection::kDeviceToDevice;
  if (!host && arguments.has("memory")) {
    throw UsageError("--memory is of copies with the host; a d2d copy has none");
  }
  const Bytes bytes = read_size(arguments);
  const ClusterSpec cluster = read_cluster_choice(with_link(arguments, direction), host).cluster;
  const CopyModel model = CopyModel::shipped();
  const std::vector<MachinePath> ways =
      read_paths(cluster, MachinePaths(cluster.machine, model.staging()), direction, arguments);
  const Answer found = answer(cluster, model, ways, direction, memory, bytes);
  const CopyCost& cost = found.cost;
  const BytesPerSecond rate = bytes * static_cast<double>(found.copies) / cost.time;
  if (read_format(arguments) == OutputFormat::kJson) {
    const ordered_json json = {
        {"schema", "paceline.transfer/1"},
        {"config",
         {{"direction", arguments.text("direction")},
          {"bytes", bytes.si()},
          {"memory", arguments.text_or("memory", "pinned")},
          {"copies", found.copies},
          {"machine", cluster.name}}},
        {"time_s",
         {{"median", cost.time.si()},
          {"p05", cost.quantile(0.05).si()},
          {"p95", cost.quantile(0.95).si()}}},
        {"rate_bytes_per_s", rate.si()},
        {"path", found.path},
        {"bottleneck", found.limit},
        {"origins",
         {{{"what", "time"}, {"kind", to_string(cost.origin.kind)}, {"source", cost.origin.source}},
          {{"what", "rate"},
           {"kind", to_string(OriginKind::kDataSheet)},
           {"source", found.rate_source}}}},
        {"warnings", cluster.warnings}};
    write_result(arguments, to_json_text(json));
    return ExitCode::kOk;
  }
  const OutputFormat format = read_format(arguments);
  if (format == OutputFormat::kCsv) {
    Table table({"time_s", "p05_s", "p95_s", "rate_bytes_per_s", "path", "bottleneck"});
    table.add_row({significant(cost.time.si(), 6), significant(cost.quantile(0.05).si(), 6),
                   significant(cost.quantile(0.95).si(), 6), significant(rate.si(), 6), found.path,
                   found.limit});
    write_result(arguments, table.to_string(table_format(format)));
    return ExitCode::kOk;
  }
  std::string text = "time        " + to_text(cost.time) + "  (90 % interval " +
                     to_text(cost.quantile(0.05)) + " .. " + to_text(cost.quantile(0.95)) + ")\n";
  text += "rate        " + to_text(rate) + "\n";
  text += "path        " + found.path + "\n";
  text += "bottleneck  " + found.limit + "\n";
  text += "origin      " + std::string(to_string(cost.origin.kind)) + ": " + cost.origin.source +
          "; rate of " + found.rate_source + "\n";
  for (const std::string& warning : cluster.warnings) text += "warning     " + warning + "\n";
  write_result(arguments, text);
  return ExitCode::kOk;
}

}  // namespace

void register_transfer(CommandList& commands) {
  std::vector<FlagSpec> flags = {
      {.name = "direction", .value = "h2d|d2h|d2d", .summary = "which way the copy goes"},
      {.name = "bytes", .value = "SIZE", .summary = "size of the copy, \"64 MiB\""},
      {.name = "memory", .value = "pinned|pageable", .summary = "host memory; default pinned"},
      {.name = "link", .value = "LINK", .summary = "link of the device, pcie3-x16"},
      {.name = "from",
       .value = "I,...",
       .summary = "device of --cluster or --topo, from 0; several copy at once"},
      {.name = "to", .value = "J,...", .summary = "the other device of each d2d copy"},
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
