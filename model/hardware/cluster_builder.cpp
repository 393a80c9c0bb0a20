#include "model/hardware/cluster_builder.h"

#include <algorithm>

namespace paceline {
namespace {

constexpr int kDevicesPerSocket = 4;
constexpr int kMostDevices = 256;  // in one machine

class MachineBuilder {
 public:
  explicit MachineBuilder(const LinkCatalog& catalog) : catalog_(&catalog) {}

  std::size_t node(std::string name, NodeKind kind, std::string device = "") {
    machine.nodes.push_back({std::move(name), kind, std::move(device)});
    return machine.nodes.size() - 1;
  }
  void link(std::size_t a, std::size_t b, const LinkSpec& spec) {
    machine.links.push_back({a, b, spec});
  }
  void link(std::size_t a, std::size_t b, std::string_view name) { link(a, b, catalog_->at(name)); }

  MachineSpec machine;

 private:
  const LinkCatalog* catalog_;
};

void wire_cube_mesh(MachineBuilder& builder, const std::vector<std::size_t>& devices,
                    const LinkSpec& intra, const LinkCatalog& catalog) {
  std::size_t most = 0;
  for (const MeshEdge& edge : intra.mesh) {
    most = std::max({most, edge.a + 1, edge.b + 1});
    if (edge.a >= devices.size() || edge.b >= devices.size()) continue;
    builder.link(devices[edge.a], devices[edge.b], parallel(catalog.at(intra.lane), edge.lanes));
  }
  if (devices.size() <= most) return;
  throw UsageError("link " + intra.name + " joins at most " + std::to_string(most) +
                   " devices, found " + std::to_string(devices.size()));
}

void wire_devices(MachineBuilder& builder, const std::vector<std::size_t>& devices,
                  const LinkSpec& intra, const LinkCatalog& catalog) {
  if (intra.wiring == Wiring::kCubeMesh) wire_cube_mesh(builder, devices, intra, catalog);
  if (intra.wiring == Wiring::kPairs) {
    for (std::size_t i = 0; i + 1 < devices.size(); i += 2) {
      builder.link(devices[i], devices[i + 1], intra);
    }
  }
  if (intra.wiring == Wiring::kSwitch) {
    const std::size_t fabric = builder.node("nvswitch", NodeKind::kNvswitch);
    for (const std::size_t device : devices) builder.link(device, fabric, intra);
  }
}

std::string device_name(int index) { return "gpu" + std::to_string(index); }

MachineSpec build_machine(int devices, const LinkSpec& intra, const std::optional<LinkSpec>& net,
                          const std::string& device, const LinkCatalog& catalog) {
  MachineBuilder builder(catalog);
  const bool tree = intra.wiring == Wiring::kHostTree;
  const LinkSpec& pcie = tree ? intra : catalog.at(intra.host_link);
  std::vector<std::size_t> processors;
  for (int i = 0; i < (devices > kDevicesPerSocket ? 2 : 1); ++i) {
    const std::string number = std::to_string(i);
    processors.push_back(builder.node("cpu" + number, NodeKind::kProcessor));
    const std::size_t memory = builder.node("memory" + number, NodeKind::kMemory);
    builder.link(processors.back(), memory, pcie.memory_link);
  }
  if (processors.size() == 2) {
    builder.link(processors[0], processors[1], pcie.socket_link);
  }
  std::vector<std::size_t> nodes;
  for (int i = 0; i < devices; ++i) {
    nodes.push_back(builder.node(device_name(i), NodeKind::kDevice, device));
    const auto socket = static_cast<std::size_t>(i) * processors.size();
    builder.link(nodes.back(), processors[socket / static_cast<std::size_t>(devices)], pcie);
  }
  wire_devices(builder, nodes, intra, catalog);
  if (net) {
    // The card gets as many PCIe links as it has ports, so that PCIe does not limit it.
    const std::size_t nic = builder.node("nic0", NodeKind::kNic);
    builder.link(nic, processors[0], parallel(pcie, net->lanes));
  }
  return builder.machine;
}

int machine_size(const ClusterFlags& flags) {
  if (flags.gpus < 1) {
    throw UsageError("--gpus: expected at least 1, found " + std::to_string(flags.gpus));
  }
  const int size = flags.gpus_per_node.value_or(flags.gpus);
  if (size < 1) {
    throw UsageError("--gpus-per-node: expected at least 1, found " + std::to_string(size));
  }
  if (flags.net && !flags.gpus_per_node && flags.gpus > 1) {
    throw UsageError("--net needs --gpus-per-node: how many of the " + std::to_string(flags.gpus) +
                     " devices are in one machine");
  }
  if (std::min(size, flags.gpus) > kMostDevices) {
    throw UsageError("a machine has at most " + std::to_string(kMostDevices) + " devices, found " +
                     std::to_string(std::min(size, flags.gpus)) +
                     "; give --gpus-per-node and --net for more");
  }
  if (size >= flags.gpus) return flags.gpus;
  if (flags.gpus % size != 0) {
    throw UsageError("--gpus " + std::to_string(flags.gpus) + " does not fill machines of " +
                     std::to_string(size) + " (--gpus-per-node)");
  }
  return size;
}

}  // namespace

ClusterSpec build_cluster(const ClusterFlags& flags, const LinkCatalog& catalog) {
  const int size = machine_size(flags);
  ClusterSpec cluster;
  cluster.machines = flags.gpus / size;
  if (cluster.machines > 1 && !flags.net) {
    throw UsageError("--gpus " + std::to_string(flags.gpus) + " in machines of " +
                     std::to_string(size) + " needs --net, the link between machines");
  }
  if (size > 1 && !flags.intra) {
    throw UsageError("--intra is missing: how the " + std::to_string(size) +
                     " devices of a machine are linked, e.g. pcie3-x16 or nvswitch3");
  }
  const LinkSpec intra = parse_link(flags.intra.value_or("pcie3-x16"), flags.intra_use, catalog);
  if (flags.net) {
    cluster.network = parse_link(*flags.net, LinkUse::kNetwork, catalog);
    if (!flags.transport.empty()) {
      cluster.network = with_transport(*cluster.network, flags.transport);
    }
  }
  cluster.machine = build_machine(size, intra, cluster.network, flags.device, catalog);
  cluster.name = std::to_string(cluster.machines) + " x " + std::to_string(size) + " " +
                 (flags.device.empty() ? "devices" : flags.device) +
                 (size > 1 ? ", " + intra.name : "") +
                 (cluster.network ? ", " + cluster.network->name : "");
  cluster.summary = "built from flags";
  cluster.source = "flags";
  cluster.warnings = intra.warnings;
  if (cluster.network) {
    cluster.warnings.insert(cluster.warnings.end(), cluster.network->warnings.begin(),
                            cluster.network->warnings.end());
  }
  if (!flags.intra) cluster.warnings.push_back("PCIe below each device assumed: pcie3-x16");
  if (size > kDevicesPerSocket) {
    cluster.warnings.push_back(
        "two sockets with half of the devices each assumed; describe the "
        "machine in a cluster file to change that");
  }
  check_machine(cluster.machine, "the machine of the flags");
  return cluster;
}

}  // namespace paceline
