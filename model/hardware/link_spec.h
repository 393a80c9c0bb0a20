// A link: what its data sheet promises, what copies achieve on it, and its latency, each with the
// source of the figure. Every rate is of one direction; "bidirectional" marketing figures are
// halved before they enter the catalog.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_reader.h"
#include "core/units.h"

namespace paceline {

enum class LinkKind {
  kPcie,
  kNvlink,
  kNvswitch,
  kChipToChip,
  kSocket,
  kMemory,
  kEthernet,
  kInfiniband
};
std::string_view to_string(LinkKind kind);

// How devices are joined when the link is named as the inside of a machine (--intra).
enum class Wiring {
  kHostTree,  // each device hangs below the processor: PCIe
  kPairs,     // devices 0-1, 2-3, ... are bridged
  kCubeMesh,  // the eight-device hybrid cube mesh of DGX-1
  kSwitch,    // all devices on one non-blocking switch
  kCable      // one cable between two ends: networks, sockets, single NVLinks
};
std::string_view to_string(Wiring wiring);

// How software drives a network link; the same cable behaves differently under each.
struct Transport {
  std::string name;  // "rdma", "tcp"
  BytesPerSecond achieved;
  Seconds latency;
  std::optional<BytesPerSecond> per_flow;  // one connection cannot exceed this
  bool measured = false;                   // the achieved rate, on such a cable
  std::string source;
};

// Devices `a` and `b` of a mesh are joined by `lanes` links.
struct MeshEdge {
  std::size_t a = 0;
  std::size_t b = 0;
  int lanes = 1;
};

struct LinkSpec {
  std::string name;
  std::string summary;
  LinkKind kind = LinkKind::kPcie;
  Wiring wiring = Wiring::kCable;
  std::string behaves_as;  // the catalog link whose constants a quantity was told to have
  std::string lane;        // family of the parallel links inside, "nvlink3"; empty if indivisible
  int lanes = 1;           // independent parallel links per device
  BytesPerSecond data_sheet;
  BytesPerSecond achieved;
  bool measured = false;  // somebody measured the achieved rate; else it follows from other figures
  Seconds latency;
  Seconds extra_latency;  // of a typed latency, over that of the catalog's link of such a rate
  // What traffic between two devices achieves across this link when the processors forward it.
  std::optional<BytesPerSecond> peer;
  std::optional<BytesPerSecond> per_flow;
  std::vector<Transport> transports;  // first is the default; empty if not a network
  std::string transport;              // the one in use
  std::vector<MeshEdge> mesh;         // of a cube mesh: which devices, how many lanes
  // What machines with this link inside usually have around it, for machines built from flags:
  // the PCIe link below each device, the link between sockets, the memory of a socket.
  std::string host_link;
  std::string socket_link;
  std::string memory_link;
  std::map<std::string, std::string> sources;  // by field
  std::vector<std::string> warnings;           // what had to be assumed about a typed quantity
};

bool is_network(LinkKind kind);

// The link driven by another transport. Throws UsageError with the link's transports.
LinkSpec with_transport(const LinkSpec& link, std::string_view transport);

// One entry of a "paceline.links/1" file. Throws InputError on a rate that is not positive or on
// an achieved rate above the data sheet.
LinkSpec read_link(JsonObject object);

}  // namespace paceline
