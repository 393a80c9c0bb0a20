// A machine: its devices, processors, switches, network cards and memories, and the links between
// them; and a cluster, which is a number of equal machines on one non-blocking network.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware/link_catalog.h"

namespace paceline {

enum class NodeKind { kDevice, kProcessor, kPcieSwitch, kNvswitch, kNic, kMemory };
std::string_view to_string(NodeKind kind);

struct MachineNode {
  std::string name;  // "gpu0"; unique in the machine
  NodeKind kind = NodeKind::kDevice;
  std::string device;  // what it is, a name of the device catalog; empty if unknown
  // That describes it instead; choose_cluster makes it a path that can be opened, and `device` the
  // name that it states.
  std::string device_file{};
};

// A full-duplex link between two nodes, by index into MachineSpec::nodes.
struct MachineLink {
  std::size_t a = 0;
  std::size_t b = 0;
  LinkSpec link;
};

// Between which devices a copy may go without passing through host memory, apart from devices
// joined by NVLink, which always may.
enum class PeerAccess { kNone, kSameSwitch, kSameSocket, kAll };
std::string_view to_string(PeerAccess access);

struct MachineSpec {
  std::vector<MachineNode> nodes;
  std::vector<MachineLink> links;
  PeerAccess peer_access = PeerAccess::kSameSocket;

  // Node indices of one kind, in the order of the file.
  std::vector<std::size_t> of_kind(NodeKind kind) const;
  std::size_t device_count() const { return of_kind(NodeKind::kDevice).size(); }
};

struct ClusterSpec {
  std::string name;
  std::string summary;
  std::string source;
  MachineSpec machine;
  int machines = 1;
  std::optional<LinkSpec> network;  // what each network card is plugged into
  std::vector<std::string> warnings;

  int device_count() const { return machines * static_cast<int>(machine.device_count()); }
};

// `count` parallel links as one.
LinkSpec parallel(LinkSpec link, int count);

// Throws InputError "<where>: ..." if there is no device, two nodes have one name, a link joins a
// node to itself, PCIe links form a cycle, or a device or network card cannot be reached from every
// other node.
void check_machine(const MachineSpec& machine, const std::string& where);

// Reads "paceline.cluster/1" (docs/file-formats.md). Links are names of `catalog` or are given in
// place with their rate.
ClusterSpec read_cluster(const std::filesystem::path& file, const LinkCatalog& catalog);

}  // namespace paceline
