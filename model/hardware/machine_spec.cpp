#include "model/hardware/machine_spec.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "core/names.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostParallel = 1024;
constexpr std::int64_t kMostMachines = 1'000'000;

constexpr std::array<std::string_view, 6> kNodeKinds = {"device",   "processor", "pcie-switch",
                                                        "nvswitch", "nic",       "memory"};
constexpr std::array<std::string_view, 4> kPeerAccess = {"none", "same-switch", "same-socket",
                                                         "all"};

// Which nodes belong together when links are added one by one.
class Components {
 public:
  explicit Components(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t root(std::size_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  // False if the two were joined already.
  bool join(std::size_t a, std::size_t b) {
    const std::size_t root_a = root(a);
    const std::size_t root_b = root(b);
    parent_[root_a] = root_b;
    return root_a != root_b;
  }

 private:
  std::vector<std::size_t> parent_;
};

std::string ends_of(const MachineSpec& machine, const MachineLink& link) {
  return machine.nodes[link.a].name + " and " + machine.nodes[link.b].name;
}

void check_names(const MachineSpec& machine, const std::string& where) {
  std::set<std::string> names;
  for (const MachineNode& node : machine.nodes) {
    if (!names.insert(node.name).second) {
      throw InputError(where + ": two nodes are named \"" + node.name + "\"");
    }
  }
}

// What hangs below one processor has no second way to another.
void check_trees(const MachineSpec& machine, Components& pcie, const std::string& where) {
  std::map<std::size_t, std::size_t> processor_of_tree;
  for (const std::size_t processor : machine.of_kind(NodeKind::kProcessor)) {
    const auto [other, is_new] = processor_of_tree.try_emplace(pcie.root(processor), processor);
    if (is_new) continue;
    throw InputError(where + ": PCIe links join " + machine.nodes[other->second].name + " and " +
                     machine.nodes[processor].name +
                     "; PCIe is a tree below each processor, which other links join");
  }
}

void check_links(const MachineSpec& machine, const std::string& where) {
  Components pcie(machine.nodes.size());
  for (const MachineLink& link : machine.links) {
    if (link.a == link.b) {
      throw InputError(where + ": a link joins " + machine.nodes[link.a].name + " to itself");
    }
    if (link.link.kind != LinkKind::kPcie || pcie.join(link.a, link.b)) continue;
    throw InputError(where + ": the PCIe link between " + ends_of(machine, link) +
                     " closes a cycle; PCIe is a tree below each processor");
  }
  check_trees(machine, pcie, where);
}

void check_reachable(const MachineSpec& machine, const std::string& where) {
  Components all(machine.nodes.size());
  for (const MachineLink& link : machine.links) all.join(link.a, link.b);
  const std::size_t first = machine.of_kind(NodeKind::kDevice).front();
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
    if (all.root(i) == all.root(first)) continue;
    throw InputError(where + ": " + machine.nodes[i].name + " cannot be reached from " +
                     machine.nodes[first].name + "; add the link that connects it");
  }
}

std::size_t node_index(const JsonObject& object, const MachineSpec& machine,
                       const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
    if (machine.nodes[i].name == name) return i;
    names.push_back(machine.nodes[i].name);
  }
  object.fail("between", unknown_name_message("node", name, names));
}

template <std::size_t N>
std::size_t read_choice(JsonObject& object, std::string_view key,
                        const std::array<std::string_view, N>& names) {
  const std::vector<std::string> allowed(names.begin(), names.end());
  const std::string value = object.one_of(key, allowed);
  return static_cast<std::size_t>(std::ranges::find(allowed, value) - allowed.begin());
}

// {"name": ..., "kind": ..., "data_sheet": ..., ...} in place of a name.
LinkSpec read_link_of(JsonObject& object, std::string_view key, const LinkCatalog& catalog) {
  if (object.has("rate")) return read_link(object.object("rate"));
  try {
    return catalog.at(object.string(key));
  } catch (const UsageError& error) {
    object.fail(key, error.what());
  }
}

MachineLink read_machine_link(JsonObject& object, const MachineSpec& machine,
                              const LinkCatalog& catalog) {
  const std::vector<std::string> ends = object.strings("between");
  if (ends.size() != 2) object.fail("between", "expected two node names");
  MachineLink link;
  link.a = node_index(object, machine, ends[0]);
  link.b = node_index(object, machine, ends[1]);
  const std::int64_t count = object.integer_or("count", 1);
  if (count < 1 || count > kMostParallel) {
    object.fail("count", "expected 1 to " + std::to_string(kMostParallel) + " links");
  }
  link.link = parallel(read_link_of(object, "link", catalog), static_cast<int>(count));
  object.finish();
  return link;
}

LinkSpec read_network(JsonObject object, const LinkCatalog& catalog) {
  LinkSpec network = read_link_of(object, "link", catalog);
  if (!is_network(network.kind)) object.fail("link", network.name + " is no network");
  if (object.has("transport")) {
    try {
      network = with_transport(network, object.string("transport"));
    } catch (const UsageError& error) {
      object.fail("transport", error.what());
    }
  }
  object.finish();
  return network;
}

}  // namespace

std::string_view to_string(NodeKind kind) { return kNodeKinds.at(static_cast<std::size_t>(kind)); }

std::string_view to_string(PeerAccess access) {
  return kPeerAccess.at(static_cast<std::size_t>(access));
}

std::vector<std::size_t> MachineSpec::of_kind(NodeKind kind) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == kind) out.push_back(i);
  }
  return out;
}

LinkSpec parallel(LinkSpec link, int count) {
  if (count == 1) return link;
  if (link.lane.empty()) link.lane = link.name;
  link.name = std::to_string(count) + "x" + link.name;
  link.lanes *= count;
  link.data_sheet *= count;
  link.achieved *= count;
  if (link.peer) link.peer = *link.peer * static_cast<double>(count);
  for (Transport& transport : link.transports) transport.achieved *= count;
  return link;
}

void check_machine(const MachineSpec& machine, const std::string& where) {
  if (machine.device_count() == 0) throw InputError(where + ": the machine has no device");
  check_names(machine, where);
  check_links(machine, where);
  check_reachable(machine, where);
}

ClusterSpec read_cluster(const std::filesystem::path& file, const LinkCatalog& catalog) {
  const JsonDocument document = read_json_file(file, "paceline.cluster/1");
  JsonObject root = document.root();
  ClusterSpec cluster;
  cluster.name = root.string("name");
  if (cluster.name.empty()) root.fail("name", "an empty name");
  cluster.summary = root.string("summary");
  cluster.source = root.string("source");
  const std::int64_t machines = root.integer_or("machines", 1);
  if (machines < 1 || machines > kMostMachines) {
    root.fail("machines", "expected 1 to " + std::to_string(kMostMachines) + " machines");
  }
  cluster.machines = static_cast<int>(machines);
  cluster.machine.peer_access =
      static_cast<PeerAccess>(read_choice(root, "peer_access", kPeerAccess));
  for (JsonObject& object : root.objects("nodes")) {
    MachineNode node;
    node.name = object.string("name");
    if (node.name.empty()) object.fail("name", "an empty name");
    node.kind = static_cast<NodeKind>(read_choice(object, "kind", kNodeKinds));
    node.device = object.string_or("device", "");
    object.finish();
    cluster.machine.nodes.push_back(std::move(node));
  }
  for (JsonObject& object : root.objects("links")) {
    cluster.machine.links.push_back(read_machine_link(object, cluster.machine, catalog));
  }
  if (root.has("network")) cluster.network = read_network(root.object("network"), catalog);
  root.finish();
  check_machine(cluster.machine, file.string());
  if (cluster.network && cluster.machine.of_kind(NodeKind::kNic).empty()) {
    root.fail("network", "the machine has no network card to plug it into");
  }
  if (cluster.machines > 1 && !cluster.network) {
    root.fail("network", "missing: several machines need a network");
  }
  return cluster;
}

}  // namespace paceline
