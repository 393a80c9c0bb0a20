#include "cli/cluster_flags.h"

#include <algorithm>
#include <filesystem>

#include "core/data_directory.h"
#include "core/names.h"
#include "model/collective/nccl_tuning.h"
#include "model/hardware/cluster_builder.h"
#include "model/hardware/device_catalog.h"
#include "model/import/topology.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostDevices = 100000;

struct Settings {
  std::string transport;
  int connections = 0;
};

Settings read_settings(const Arguments& arguments) {
  Settings out;
  const std::vector<std::string> known{"transport", "connections"};
  for (const std::string& setting : arguments.all("set")) {
    const std::size_t equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == setting.size()) {
      throw UsageError("--set " + setting + ": expected KEY=VALUE");
    }
    const std::string value = setting.substr(equals + 1);
    if (key == "transport") {
      out.transport = value;
    } else if (key == "connections") {
      out.connections = static_cast<int>(parse_count("connections", value, 1, 1024));
    } else {
      throw UsageError(unknown_name_message("setting", key, known));
    }
  }
  return out;
}

// By the device if it is known, else by the links; without either a warning says what was assumed.
std::string nccl_generation(ClusterSpec& cluster) {
  const MachineSpec& machine = cluster.machine;
  const std::string& name = machine.nodes[machine.of_kind(NodeKind::kDevice).front()].device;
  if (!name.empty()) {
    const DeviceCatalog catalog = DeviceCatalog::shipped();
    return NcclTuning::shipped().generation_of(catalog.at(name).architecture);
  }
  for (const MachineLink& link : machine.links) {
    const bool nvlink =
        link.link.kind == LinkKind::kNvlink || link.link.kind == LinkKind::kNvswitch;
    if (!nvlink) continue;
    return NcclTuning::shipped().generation_of_link(link.link.lane.empty() ? link.link.name
                                                                           : link.link.lane);
  }
  constexpr const char* kAssumed = "ampere";
  cluster.warnings.push_back(std::string("no --device: the NCCL tables of ") + kAssumed +
                             " devices are assumed");
  return kAssumed;
}

std::filesystem::path cluster_file(const std::string& name) {
  if (name.ends_with(".json") || std::filesystem::exists(name)) return name;
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(data_directory() / "model/catalog/clusters")) {
    if (entry.path().extension() != ".json") continue;
    if (normalized_name(entry.path().stem().string()) == normalized_name(name)) return entry.path();
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  throw UsageError(unknown_name_message("cluster", name, names));
}

// The NVLink generation and count a device has, from the total of its data sheet.
TopologyLinks topology_links(const Arguments& arguments, const LinkCatalog& catalog) {
  TopologyLinks links{catalog.at("pcie4-x16"), "", 0, ""};
  if (!arguments.has("device")) {
    throw UsageError("--topo needs --device: the matrix does not name the devices");
  }
  const DeviceSpec device = DeviceCatalog::shipped().at(arguments.text("device"));
  links.device = device.name;
  links.pcie = catalog.at("pcie" + std::to_string(device.host_link.generation.value) + "-x16");
  if (!device.peer_links || !device.peer_links->kind.starts_with("NVLink")) return links;
  std::string kind = normalized_name(device.peer_links->kind);
  links.nvlink = kind;
  const LinkSpec& lane = catalog.at(kind);
  links.nvlinks_per_device = static_cast<int>(
      device.peer_links->total_bandwidth.value.si() / 2 / lane.data_sheet.si() + 0.5);
  return links;
}

// A cluster file names its devices; they must exist.
void check_devices(const ClusterSpec& cluster, const std::string& file) {
  const DeviceCatalog devices = DeviceCatalog::shipped();
  for (const MachineNode& node : cluster.machine.nodes) {
    if (node.kind != NodeKind::kDevice || node.device.empty()) continue;
    try {
      devices.at(node.device);
    } catch (const UsageError& error) {
      throw InputError(file + ": node " + node.name + ": " + error.what());
    }
  }
}

// --device where the cluster file leaves it open.
void name_devices(const std::string& name, ClusterSpec& cluster) {
  const std::string device = DeviceCatalog::shipped().at(name).name;
  for (MachineNode& node : cluster.machine.nodes) {
    if (node.kind != NodeKind::kDevice) continue;
    if (!node.device.empty()) {
      throw UsageError("--device contradicts --cluster, whose devices are " + node.device);
    }
    node.device = device;
  }
}

ClusterSpec from_file(const Arguments& arguments, const LinkCatalog& catalog,
                      const Settings& settings) {
  ClusterSpec cluster;
  if (arguments.has("topo")) {
    const std::string file = arguments.text("topo");
    cluster =
        import_topology(read_text_file(file), file, topology_links(arguments, catalog), catalog);
    if (arguments.has("net")) {
      throw UsageError("--topo describes one machine; leave out --net");
    }
  } else {
    const std::filesystem::path file = cluster_file(arguments.text("cluster"));
    cluster = read_cluster(file, catalog);
    check_devices(cluster, file.string());
    if (arguments.has("net")) {
      throw UsageError("--net contradicts --cluster, which describes the network");
    }
    if (arguments.has("device")) name_devices(arguments.text("device"), cluster);
  }
  if (!settings.transport.empty()) {
    if (!cluster.network) throw UsageError("--set transport=...: the cluster has no network");
    cluster.network = with_transport(*cluster.network, settings.transport);
  }
  return cluster;
}

}  // namespace

std::vector<FlagSpec> cluster_flags() {
  return {{.name = "device", .value = "NAME", .summary = "device of the catalog"},
          {.name = "gpus", .value = "N", .summary = "ranks, one per device"},
          {.name = "gpus-per-node", .value = "M", .summary = "devices per machine"},
          {.name = "intra", .value = "LINK", .summary = "link inside a machine"},
          {.name = "net", .value = "LINK", .summary = "link between machines"},
          {.name = "cluster", .value = "NAME|FILE", .summary = "a whole machine or cluster"},
          {.name = "topo", .value = "FILE", .summary = "output of nvidia-smi topo -m"},
          {.name = "nodes", .value = "N", .summary = "machines of --cluster"},
          {.name = "set",
           .value = "KEY=VALUE",
           .summary = "transport=tcp|rdma, connections=N",
           .repeatable = true}};
}

Bytes read_size(const Arguments& arguments) {
  constexpr double kLargest = 1e18;
  const std::string text = arguments.text("bytes");
  const bool plain = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  const Bytes bytes = parse_bytes(plain ? text + " B" : text);
  if (bytes.si() < 1 || bytes.si() > kLargest) {
    throw UsageError("--bytes must be positive, at least 1 B and at most 1e18 B, found \"" + text +
                     "\"");
  }
  return bytes;
}

ClusterChoice read_cluster_choice(const Arguments& arguments, bool host_link) {
  const LinkCatalog catalog = LinkCatalog::shipped();
  const Settings settings = read_settings(arguments);
  ClusterChoice choice;
  choice.connections = settings.connections;
  const bool file = arguments.has("cluster") || arguments.has("topo");
  if (arguments.has("cluster") && arguments.has("topo")) {
    throw UsageError("give --cluster or --topo, not both");
  }
  for (const char* flag : {"intra", "gpus-per-node"}) {
    if (file && arguments.has(flag)) {
      throw UsageError(flag_text(flag) +
                       " contradicts --cluster and --topo, which describe the "
                       "machine");
    }
  }
  if (!file) {
    if (arguments.has("nodes")) throw UsageError("--nodes is the number of machines of --cluster");
    ClusterFlags flags;
    if (host_link) flags.intra_use = LinkUse::kHostLink;
    flags.gpus = static_cast<int>(arguments.count_or("gpus", 1, kMostDevices));
    if (arguments.has("gpus-per-node")) {
      flags.gpus_per_node = static_cast<int>(arguments.count_or("gpus-per-node", 1, kMostDevices));
    }
    flags.intra = arguments.find("intra");
    flags.net = arguments.find("net");
    flags.transport = settings.transport;
    if (arguments.has("device")) {
      flags.device = DeviceCatalog::shipped().at(arguments.text("device")).name;
    }
    choice.cluster = build_cluster(flags, catalog);
  } else {
    choice.cluster = from_file(arguments, catalog, settings);
    if (arguments.has("nodes")) {
      choice.cluster.machines = static_cast<int>(arguments.count_or("nodes", 1, kMostDevices));
      if (choice.cluster.machines > 1 && !choice.cluster.network) {
        throw UsageError("--nodes: cluster " + choice.cluster.name + " has no network");
      }
    }
  }
  choice.ranks =
      static_cast<int>(arguments.count_or("gpus", choice.cluster.device_count(), kMostDevices));
  choice.generation = nccl_generation(choice.cluster);
  return choice;
}

void refuse_unused_settings(const Arguments& arguments, bool over_network) {
  if (over_network) return;
  for (const std::string& setting : arguments.all("set")) {
    throw UsageError("--set " + setting + " is of the network, and these ranks are in one machine");
  }
}

}  // namespace paceline
