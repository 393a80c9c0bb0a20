#include "model/hardware/cluster_request.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "core/data_directory.h"
#include "core/names.h"
#include "core/units_text.h"
#include "model/hardware/cluster_builder.h"
#include "model/hardware/device_file.h"
#include "model/hardware/foreign_link.h"
#include "model/import/topology.h"

namespace paceline {
namespace {

bool is_given(const LinkSpec& link) {
  const auto source = link.sources.find("data_sheet");
  return source != link.sources.end() && source->second == "given";
}

// By the device if it is known, else by the links; without either a warning says what was assumed.
// A quantity is no NVLink of the tables.
std::string nccl_generation(const ClusterSpec& cluster, const ClusterCatalogs& catalogs,
                            std::string& warning) {
  const MachineSpec& machine = cluster.machine;
  const std::string& name = machine.nodes[machine.of_kind(NodeKind::kDevice).front()].device;
  if (!name.empty()) {
    return catalogs.tuning.generation_of(catalogs.devices.at(name).architecture);
  }
  for (const MachineLink& link : machine.links) {
    const bool nvlink =
        link.link.kind == LinkKind::kNvlink || link.link.kind == LinkKind::kNvswitch;
    if (!nvlink || is_given(link.link)) continue;
    return catalogs.tuning.generation_of_link(link.link.lane.empty() ? link.link.name
                                                                     : link.link.lane);
  }
  constexpr const char* kAssumed = "ampere";
  warning = std::string("no --device: the NCCL tables of ") + kAssumed + " devices are assumed";
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
TopologyLinks topology_links(const ClusterRequest& request, const ClusterCatalogs& catalogs) {
  const LinkCatalog& catalog = catalogs.links;
  TopologyLinks links{catalog.at("pcie4-x16"), "", 0, ""};
  if (request.device.empty()) {
    throw UsageError("--topo needs --device: the matrix does not name the devices");
  }
  const DeviceSpec& device = catalogs.devices.at(request.device);
  links.device = device.name;
  links.pcie = catalog.at("pcie" + std::to_string(device.host_link.generation.value) + "-x16");
  if (!device.peer_links || !device.peer_links->kind.starts_with("NVLink")) return links;
  std::string kind = normalized_name(device.peer_links->kind);
  links.nvlink = kind;
  const LinkSpec& lane = catalog.at(kind);
  const double lanes = 0.5 * (device.peer_links->total_bandwidth.value / lane.data_sheet);
  links.nvlinks_per_device = static_cast<int>(std::lround(lanes));
  constexpr double kWhole = 0.05;
  links.slower_links = std::abs(lanes - links.nvlinks_per_device) > kWhole;
  return links;
}

// Devices that a cluster file describes by other files get the names stated there. The catalogs
// with them, if there are any.
std::optional<ClusterCatalogs> read_described_nodes(const std::filesystem::path& file,
                                                    const ClusterCatalogs& catalogs,
                                                    ClusterSpec& cluster) {
  std::optional<ClusterCatalogs> out;
  std::map<std::string, std::string> names;  // by what stands in the file
  for (MachineNode& node : cluster.machine.nodes) {
    if (!is_device_path(node.device)) continue;
    node.device_file = beside(file, node.device).string();
    std::string& name = names[node.device];
    if (name.empty()) {
      if (!out) out = catalogs;
      try {
        const DeviceSpec spec = read_described_spec(node.device_file, DeviceCatalog::shipped());
        if (out->devices.find(spec.name) == nullptr) out->devices.add(spec);
        name = spec.name;
      } catch (const InputError& error) {
        throw InputError(file.string() + ": node " + node.name + ": " + error.what());
      }
    }
    node.device = name;
  }
  return out;
}

// A cluster file names its devices; they must exist, be what their node is, and be alike.
void check_devices(const ClusterSpec& cluster, const std::string& file,
                   const DeviceCatalog& devices) {
  std::string first;
  for (const MachineNode& node : cluster.machine.nodes) {
    if (node.device.empty()) continue;
    const std::string where = file + ": node " + node.name + ": ";
    const DeviceSpec* device = nullptr;
    try {
      device = &devices.at(node.device);
    } catch (const UsageError& error) {
      if (node.kind == NodeKind::kProcessor) continue;  // any processor may have its name said
      throw InputError(where + error.what());
    }
    const bool is_processor = device->kind == DeviceKind::kCpu;
    if (node.kind == NodeKind::kProcessor && is_processor) continue;
    if (node.kind != NodeKind::kDevice) {
      throw InputError(where + "a " + std::string(to_string(node.kind)) + " cannot be " +
                       device->name);
    }
    if (is_processor) {
      throw InputError(where + device->name + " is a processor; ranks run on GPUs");
    }
    if (first.empty()) first = device->name;
    if (device->name == first) continue;
    throw InputError(where + device->name + " beside " + first +
                     "; all devices of a cluster must be of one kind");
  }
}

// --device where the cluster file leaves it open, or says the same.
void name_devices(const std::string& name, const DeviceCatalog& devices, ClusterSpec& cluster) {
  const std::string& device = devices.at(name).name;
  for (MachineNode& node : cluster.machine.nodes) {
    if (node.kind != NodeKind::kDevice || node.device == device) continue;
    if (!node.device.empty()) {
      throw UsageError("--device " + device + " contradicts --cluster, whose devices are " +
                       node.device);
    }
    node.device = device;
  }
}

// `cluster` as its file says; of a topology it is made here.
ClusterSpec from_file(const ClusterRequest& request, const ClusterCatalogs& catalogs,
                      ClusterSpec cluster) {
  if (request.topo) {
    cluster = import_topology(read_text_file(*request.topo), *request.topo,
                              topology_links(request, catalogs), catalogs.links);
    if (request.net) throw UsageError("--topo describes one machine; leave out --net");
  } else {
    check_devices(cluster, cluster_file(*request.cluster).string(), catalogs.devices);
    if (request.net) {
      throw UsageError("--net contradicts --cluster, which describes the network");
    }
    if (!request.device.empty()) name_devices(request.device, catalogs.devices, cluster);
  }
  if (!request.transport.empty()) {
    if (!cluster.network) throw UsageError("--set transport=...: the cluster has no network");
    cluster.network = with_transport(*cluster.network, request.transport);
  }
  if (!request.nodes) return cluster;
  cluster.machines = *request.nodes;
  if (cluster.machines > 1 && !cluster.network) {
    throw UsageError("--nodes: cluster " + cluster.name + " has no network");
  }
  return cluster;
}

ClusterSpec from_links(const ClusterRequest& request, const ClusterCatalogs& catalogs) {
  if (request.nodes) throw UsageError("--nodes is the number of machines of --cluster");
  ClusterFlags flags;
  flags.gpus = request.gpus.value_or(1);
  flags.gpus_per_node = request.gpus_per_node;
  flags.intra = request.intra;
  if (request.intra_is_host_link) flags.intra_use = LinkUse::kHostLink;
  flags.net = request.net;
  flags.transport = request.transport;
  if (request.device.empty()) return build_cluster(flags, catalogs.links);
  const DeviceSpec& device = catalogs.devices.at(request.device);
  flags.device = device.name;
  ClusterSpec cluster = build_cluster(flags, catalogs.links);
  if (auto foreign = foreign_link(device, cluster)) {
    cluster.warnings.insert(cluster.warnings.begin(), std::move(*foreign));
  }
  if (!device.host_link.no_peers.empty()) cluster.machine.peer_access = PeerAccess::kNone;
  return cluster;
}

}  // namespace

ClusterChoice choose_cluster(const ClusterRequest& request, const ClusterCatalogs& catalogs) {
  if (request.described != nullptr && catalogs.devices.find(request.device) == nullptr) {
    ClusterCatalogs with_device = catalogs;
    with_device.devices.add(*request.described);
    return choose_cluster(request, with_device);
  }
  const bool file = request.cluster || request.topo;
  if (request.cluster && request.topo) throw UsageError("give --cluster or --topo, not both");
  for (const auto& [given, flag] :
       {std::pair(request.intra.has_value(), "--intra"),
        std::pair(request.gpus_per_node.has_value(), "--gpus-per-node")}) {
    if (!file || !given) continue;
    throw UsageError(std::string(flag) +
                     " contradicts --cluster and --topo, which describe the machine");
  }
  ClusterChoice choice;
  choice.connections = request.connections;
  std::optional<ClusterCatalogs> with_nodes;
  if (request.cluster) {
    const std::filesystem::path path = cluster_file(*request.cluster);
    choice.cluster = read_cluster(path, catalogs.links);
    with_nodes = read_described_nodes(path, catalogs, choice.cluster);
  }
  const ClusterCatalogs& known = with_nodes ? *with_nodes : catalogs;
  choice.cluster =
      file ? from_file(request, known, std::move(choice.cluster)) : from_links(request, known);
  choice.ranks = request.gpus.value_or(choice.cluster.device_count());
  choice.generation = nccl_generation(choice.cluster, known, choice.assumed_tables);
  return choice;
}

ClusterChoice choose_cluster(const ClusterRequest& request) {
  return choose_cluster(request, ClusterCatalogs());
}

}  // namespace paceline
