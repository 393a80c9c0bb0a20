// Which algorithm, protocol and number of channels NCCL would use, computed as its own tuning does
// (tables: model/catalog/collectives/nccl-*.json; formulas: docs/models/nccl-tuning.md). The
// table's time is NCCL's estimate, good for choosing and optimistic as a prediction; calibrated
// times are in collective_cost.h.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/collective/collective.h"
#include "model/hardware/link_spec.h"

namespace paceline {

enum class NcclAlgorithm { kRing, kTree, kNvls, kNvlsTree, kPat };
enum class NcclProtocol { kLl, kLl128, kSimple };
std::string_view to_string(NcclAlgorithm algorithm);
std::string_view to_string(NcclProtocol protocol);
std::vector<std::string> nccl_algorithm_names();
// Throw UsageError with the allowed names.
NcclAlgorithm parse_nccl_algorithm(std::string_view text);
NcclProtocol parse_nccl_protocol(std::string_view text);

// What NCCL's topology search would have found.
struct NcclGraph {
  std::string generation;  // "volta", "ampere", "hopper", "blackwell"
  bool nvlink = false;     // between devices of a machine, else PCIe
  bool nvswitch = false;
  int channels = 1;         // before NCCL duplicates them
  double channel_GBps = 0;  // of one channel
  Seconds network_latency;  // on top of the table's
};

// One row of the table: what NCCL expects of one way to run the collective.
struct NcclOption {
  NcclAlgorithm algorithm = NcclAlgorithm::kRing;
  NcclProtocol protocol = NcclProtocol::kSimple;
  int channels = 1;         // used for this size
  int threads = 0;          // per channel
  Seconds expected;         // NCCL's own estimate
  int network_hops = 0;     // between machines, one after another
  int inner_hops = 0;       // inside machines, the same
  BytesPerSecond bus_rate;  // of all channels, at bus bandwidth
};

// How far NCCL's estimate is to be trusted where nothing was measured.
struct NcclPrior {
  double bandwidth = 1;        // share of the estimated bandwidth that is reached
  double sd = 0;               // of ln(time)
  double borrowed_sd = 0;      // added where constants of another fabric are used
  double extrapolated_sd = 0;  // added outside the sizes or rank counts measured
};

// Device memory behind in-switch reduction.
struct NcclSwitchBuffers {
  Bytes each;    // for each channel and device of a machine
  Bytes beside;  // once
  // Channels within one machine and with several, by generation.
  std::map<std::string, std::array<int, 2>> channels;
  Bytes most_each, most_unit;  // of other versions: rounded up to whole units
  std::string source;
};

class NcclTuning {
 public:
  // Reads "paceline.nccl-tuning/1"; throws InputError.
  static NcclTuning load(const std::filesystem::path& file);
  static NcclTuning shipped();

  const std::string& version() const { return version_; }
  // The graph over a ring of `rate` made of `lane`s ("nvlink3"; "" for PCIe), as the search over
  // the generation's speeds finds it. Throws InputError on a generation it does not know.
  NcclGraph graph(const std::string& generation, const std::string& lane, double lanes,
                  bool nvswitch, BytesPerSecond pcie, BytesPerSecond network) const;
  // Every option NCCL has for this call, best first. Empty for send-recv and all-to-all, which have
  // no algorithm. Throws InputError on an unknown generation.
  std::vector<NcclOption> options(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                                  const NcclGraph& graph) const;
  // The ways without an algorithm (all-to-all, send-recv): the protocol changes, and channels are
  // added, with the bytes each pair exchanges.
  NcclOption exchange_option(CollectiveOp op, Bytes bytes, int ranks) const;
  // The generation whose tables NCCL uses for a device architecture ("pascal" -> "volta"). Throws
  // InputError on an architecture it has none for.
  const std::string& generation_of(const std::string& architecture) const;
  // The generation of devices that have such NVLinks ("nvlink3" -> "ampere"). Throws InputError.
  const std::string& generation_of_link(const std::string& lane) const;
  const NcclPrior& prior() const { return prior_; }
  // Launch and exit of an exchange, as the tables have them for large messages.
  Seconds base_latency() const;
  // One hop between machines as the tables have it, for the fastest network.
  Seconds network_hop() const;
  // Connections that a ring keeps open between two machines: one for each duplicate of its channel.
  int connections_per_card() const { return duplicates_; }
  // Channels that a communicator opens, whatever a message uses of them.
  int communicator_channels(const NcclGraph& graph) const {
    return std::min(most_channels_, duplicates_ * graph.channels);
  }
  // What a connection of one channel receives into, with this protocol.
  Bytes buffer(NcclProtocol protocol) const { return buffers_[static_cast<std::size_t>(protocol)]; }
  const NcclSwitchBuffers& switch_buffers() const { return switch_buffers_; }
  // Channels and threads for a message (ncclGetAlgoInfo, getChannnelThreadInfo).
  std::pair<int, int> channels_for(NcclAlgorithm algorithm, NcclProtocol protocol, int ranks,
                                   Bytes bytes, int most) const;

 private:
  using PerProtocol = std::array<double, 3>;
  using PerAlgorithm = std::array<PerProtocol, 5>;
  struct Generation {
    std::array<double, 3> ll_max, ring_ll128, tree_ll128, tree;
    std::array<double, 2> nvls_tree;
    double nvls_efficiency = 0;
    double plateau = 1;
    std::vector<double> intra_speeds, inter_speeds;
  };
  struct Call;
  const Generation& generation(const std::string& name) const;
  double bus_GBps(const Call& call, NcclAlgorithm algorithm, NcclProtocol protocol) const;
  double latency_us(const Call& call, NcclAlgorithm algorithm, NcclProtocol protocol) const;
  double algorithm_GBps(const Call& call, NcclAlgorithm algorithm, NcclProtocol protocol) const;
  bool enabled(const Call& call, NcclAlgorithm algorithm, NcclProtocol protocol) const;
  static int network_hops(const Call& call, NcclAlgorithm algorithm);
  static int inner_hops(const Call& call, NcclAlgorithm algorithm);

  std::string version_;
  PerAlgorithm base_us_{};
  PerAlgorithm nvlink_us_{};
  PerAlgorithm pci_us_{};
  PerAlgorithm network_us_{};
  double network_overhead_us_ = 0;
  std::array<std::vector<double>, 3> tree_correction_;
  std::map<std::string, Generation> generations_;
  std::map<std::string, double> link_GBps_;
  std::map<std::string, std::string> link_generations_;
  std::map<std::string, std::string> architectures_;
  NcclPrior prior_;
  double exchange_ll_bytes_ = 1;
  double exchange_bytes_ = 1;
  double exchange_channels_ = 1;
  int most_channels_ = 1;
  int nvls_channels_ = 1;
  int duplicates_ = 1;
  std::array<int, 3> threads_{};
  std::array<int, 3> bytes_per_thread_{};
  std::array<Bytes, 3> buffers_{};
  NcclSwitchBuffers switch_buffers_;
};

}  // namespace paceline
