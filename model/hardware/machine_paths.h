// Which way a copy goes inside a machine: over NVLink, through a PCIe switch, through the
// processors, or staged through host memory; what it loads on the way, and how fast it can be when
// nothing else moves. Routing is static, as on real machines. docs/models/links.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/hardware/machine_spec.h"

namespace paceline {

// One direction of a link of the machine.
struct DirectedLink {
  std::size_t link = 0;
  bool forward = true;  // from MachineLink::a to b
  bool operator==(const DirectedLink&) const = default;
};

// `weight`: capacity taken per byte of the copy. Above 1 where a crossing costs more than its
// bytes: peer traffic that a processor forwards.
struct PathHop {
  DirectedLink link;
  double weight = 1;
};

enum class PathKind {
  kNvlink,            // one NVLink hop
  kNvswitch,          // through NVSwitch
  kPcieSwitch,        // peers below one PCIe switch
  kThroughProcessor,  // peers through a root complex or between sockets
  kStaged,            // written to host memory, then read from it, chunk by chunk
  kHost               // between a device and host memory
};
std::string_view to_string(PathKind kind);

// How copies that cannot go directly are staged; fitted (calibration/fitted/links/transfers.json).
struct StagingModel {
  double efficiency = 1;  // of the slowest link on the way
  Seconds latency;        // on top of the links' own
};

struct MachinePath {
  PathKind kind = PathKind::kHost;
  std::vector<PathHop> hops;
  Seconds latency;
  BytesPerSecond rate;      // alone: the cap, or the tightest hop
  BytesPerSecond ceiling;   // of the tightest hop with what data sheets promise
  BytesPerSecond cap;       // limit of the copy itself; infinite if the links alone limit it
  std::size_t slowest = 0;  // index into `hops`
};

class MachinePaths {
 public:
  // `machine` must outlive this.
  MachinePaths(const MachineSpec& machine, StagingModel staging)
      : machine_(&machine), staging_(staging) {}

  // Between two nodes, each a device or a network card. Throws InputError if they are not connected
  // or if a copy must be staged and no processor lies between.
  MachinePath between(std::size_t from, std::size_t to) const;
  // Between a device and the memory of its own processor.
  MachinePath to_host(std::size_t device) const;
  MachinePath from_host(std::size_t device) const;
  // The processor a node hangs below: the nearest, the earlier in the file among equals.
  std::size_t processor_of(std::size_t node) const;
  // The network card nearest to a device; devices equally near are spread over the cards.
  std::size_t nic_of(std::size_t device) const;
  // "gpu0 -> plx0 (pcie3-x16)".
  std::string describe(const PathHop& hop) const;

 private:
  enum class Through { kNvlink, kPcie, kHostLinks };
  std::vector<DirectedLink> shortest(std::size_t from, std::size_t to, Through through) const;
  bool usable(const LinkSpec& link, Through through) const;
  bool may_forward(std::size_t node, Through through) const;
  MachinePath direct(PathKind kind, const std::vector<DirectedLink>& links) const;
  MachinePath staged(std::size_t from, std::size_t to) const;
  void append_memory(MachinePath& path, std::size_t processor, bool write) const;
  void finish(MachinePath& path) const;
  bool peers_allowed(const std::vector<DirectedLink>& links) const;
  std::size_t head(const DirectedLink& link) const;

  const MachineSpec* machine_;
  StagingModel staging_;
};

}  // namespace paceline
