#include "model/collective/nccl_tuning.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "model/formula/collectives.h"

namespace paceline {

struct NcclTuning::Call {
  CollectiveOp op;
  double bytes;
  CollectiveGroup group;
  const NcclGraph* graph;
  const Generation* generation;

  int ranks() const { return group.ranks(); }
  bool all_reduce() const { return op == CollectiveOp::kAllReduce; }
  bool rooted() const { return op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce; }
  double bus() const { return graph->channels * graph->channel_GBps; }
  // Broadcast and reduce pass n messages in NCCL's count.
  double steps() const { return rooted() ? ranks() : ring_steps(op, ranks()); }
};

namespace {

std::size_t index(NcclAlgorithm algorithm) { return static_cast<std::size_t>(algorithm); }
std::size_t index(NcclProtocol protocol) { return static_cast<std::size_t>(protocol); }

// Columns of the per-node-count tables: 1, 2, more machines.
std::size_t column(const CollectiveGroup& group) {
  return group.machines == 1 ? 0 : (group.machines == 2 ? 1 : 2);
}

}  // namespace

const NcclTuning::Generation& NcclTuning::generation(const std::string& name) const {
  const auto found = generations_.find(name);
  if (found != generations_.end()) return found->second;
  throw InputError("NCCL tuning " + version_ + " knows no device generation \"" + name + "\"");
}

NcclGraph NcclTuning::graph(const std::string& generation_name, const std::string& lane,
                            double lanes, bool nvswitch, BytesPerSecond pcie,
                            BytesPerSecond network) const {
  const Generation& known = generation(generation_name);
  NcclGraph graph;
  graph.generation = generation_name;
  const auto link = link_GBps_.find(lane);
  graph.nvlink = link != link_GBps_.end();
  graph.nvswitch = nvswitch && graph.nvlink;
  // With one rank a machine there is nothing inside it to go through.
  const BytesPerSecond inside = pcie.si() > 0 ? pcie : network;
  const double one = graph.nvlink ? link->second : inside.si() * 1e-9;
  double total = graph.nvlink ? one * lanes : one;
  if (network.si() > 0) total = std::min(total, network.si() * 1e-9);
  const std::vector<double>& speeds = network.si() > 0 ? known.inter_speeds : known.intra_speeds;
  const double widest = graph.nvswitch ? total : std::min(total, one);
  const auto fits = [&](double speed) { return speed <= widest; };
  const auto speed = std::ranges::find_if(speeds, fits);
  graph.channel_GBps = speed == speeds.end() ? widest : *speed;
  graph.channels = std::max(1, static_cast<int>(total / graph.channel_GBps));
  // ncclTopoDupChannels: fast channels are split in two.
  const bool modern = generation_name == "hopper" || generation_name == "blackwell";
  const bool split = graph.channel_GBps >= 25 &&
                     !(modern && graph.channel_GBps < 50 && graph.channels > 4) &&
                     2 * graph.channels <= most_channels_;
  if (split) graph.channels *= 2, graph.channel_GBps /= 2;
  return graph;
}

double NcclTuning::bus_GBps(const Call& call, NcclAlgorithm algorithm,
                            NcclProtocol protocol) const {
  const Generation& known = *call.generation;
  const std::size_t at = column(call.group);
  const double channels = call.graph->channels;
  double bus = call.bus();
  if (algorithm == NcclAlgorithm::kRing) {
    if (protocol == NcclProtocol::kLl) return std::min(known.ll_max[at], 0.5 * bus);
    if (protocol == NcclProtocol::kSimple) return bus;
    return std::min(0.92 * bus, channels * known.ring_ll128[at]);
  }
  if (algorithm == NcclAlgorithm::kPat) return 0.75 * bus;
  if (algorithm == NcclAlgorithm::kTree) {
    bus = std::min(0.92 * bus, channels * known.tree[at]);
    if (protocol == NcclProtocol::kLl) return std::min(bus / 3.8, known.ll_max[at]);
    if (protocol == NcclProtocol::kSimple) return bus;
    const double share = call.group.machines == 1 ? 7.0 / 9 : 120.0 / 128;
    return std::min(bus * share, channels * known.tree_ll128[at]);
  }
  const double n = nvls_channels_;
  const double share =
      call.all_reduce() ? 2.0 : (call.group.per_machine - 1.0) / call.group.per_machine;
  const double inside = bus * known.nvls_efficiency * (n - 1) / n * share;
  if (algorithm == NcclAlgorithm::kNvls || call.group.machines == 1) return inside;
  const double limit = channels * known.nvls_tree[std::min<std::size_t>(at, 2) - 1];
  return std::min({inside, bus * (call.group.machines <= 2 ? 2.0 : 1.0), limit});
}

double NcclTuning::algorithm_GBps(const Call& call, NcclAlgorithm algorithm,
                                  NcclProtocol protocol) const {
  double rate = bus_GBps(call, algorithm, protocol);
  if (algorithm == NcclAlgorithm::kTree) {
    rate *= 0.5;
    const double size = std::log2(call.bytes / 64);
    const std::vector<double>& factors = tree_correction_[index(protocol)];
    if (size >= 0 && size < static_cast<double>(factors.size())) {
      rate *= factors[static_cast<std::size_t>(size)];
    }
    return rate;
  }
  return rate * call.ranks() / call.steps();
}

double NcclTuning::latency_us(const Call& call, NcclAlgorithm algorithm,
                              NcclProtocol protocol) const {
  const std::size_t a = index(algorithm);
  const std::size_t p = index(protocol);
  const CollectiveGroup& group = call.group;
  const double intra = call.graph->nvlink ? nvlink_us_[a][p] : pci_us_[a][p];
  const std::size_t row = group.per_machine == 1 ? index(NcclAlgorithm::kTree) : a;
  const double wire = call.graph->network_latency.si() * 1e6;
  const double flush = protocol == NcclProtocol::kSimple ? wire : 0;
  const double inter = network_us_[row][p] + wire + flush;
  const double levels = formula::floor_log2(group.machines);
  const double base = base_us_[a][p];
  switch (algorithm) {
    case NcclAlgorithm::kRing: {
      if (call.rooted()) return base + call.steps() * intra;
      const double outside = ring_network_steps(call.op, group);
      const double overhead =
          group.machines == 1 ? 0
                              : network_overhead_us_ * (protocol == NcclProtocol::kSimple ? 3 : 1);
      double latency =
          base + (call.steps() - outside) * std::max(intra, overhead) + outside * inter;
      const double share = call.bytes / (call.graph->channels * call.ranks());
      const bool plateau = call.all_reduce() && group.machines > 1 &&
                           protocol == NcclProtocol::kSimple && share >= 64;
      return plateau ? latency * call.generation->plateau : latency;
    }
    case NcclAlgorithm::kTree:
      return base + 2 * ((group.per_machine - 1) * intra + levels * inter);
    case NcclAlgorithm::kNvls:
      return intra + (group.machines > 1 ? inter : 0);
    case NcclAlgorithm::kNvlsTree:
      return intra + 2 * levels * inter;
    case NcclAlgorithm::kPat:
      return base + levels * inter / 3.5 + 2.8 * call.ranks();
  }
  return base;
}

bool NcclTuning::enabled(const Call& call, NcclAlgorithm algorithm, NcclProtocol protocol) const {
  const bool simple = protocol == NcclProtocol::kSimple;
  const bool gathers =
      call.op == CollectiveOp::kAllGather || call.op == CollectiveOp::kReduceScatter;
  const bool switched = call.graph->nvswitch && call.generation->nvls_efficiency > 0 &&
                        call.group.per_machine > 2 && simple;
  switch (algorithm) {
    case NcclAlgorithm::kRing:
      return protocol != NcclProtocol::kLl128 || call.graph->nvlink || call.group.per_machine == 1;
    case NcclAlgorithm::kTree:
      return call.all_reduce() && (protocol != NcclProtocol::kLl128 || call.graph->nvlink);
    case NcclAlgorithm::kNvls:
      return switched && call.group.machines == 1 && (call.all_reduce() || gathers);
    case NcclAlgorithm::kNvlsTree:
      return switched && call.group.machines > 1 && call.all_reduce();
    case NcclAlgorithm::kPat:
      return gathers && simple && call.group.per_machine == 1 && call.group.machines > 1;
  }
  return false;
}

std::pair<int, int> NcclTuning::channels_for(NcclAlgorithm algorithm, NcclProtocol protocol,
                                             int ranks, Bytes bytes, int most) const {
  if (algorithm == NcclAlgorithm::kNvls || algorithm == NcclAlgorithm::kNvlsTree) {
    return {nvls_channels_, threads_[index(protocol)]};
  }
  const bool ring_ll = algorithm == NcclAlgorithm::kRing && protocol == NcclProtocol::kLl;
  const double floor = bytes_per_thread_[index(protocol)] * (ring_ll ? ranks : 1);
  int channels = most;
  int threads = threads_[index(protocol)];
  while (channels >= 2 && bytes.si() < channels * threads * floor) --channels;
  while (threads % 128 == 0 && bytes.si() < channels * threads * floor) threads /= 2;
  return {channels, threads};
}

NcclOption NcclTuning::exchange_option(CollectiveOp op, Bytes bytes, int ranks) const {
  const double pair = op == CollectiveOp::kSendRecv ? bytes.si() : bytes.si() / ranks;
  NcclOption option;
  option.protocol = pair <= exchange_ll_bytes_ ? NcclProtocol::kLl : NcclProtocol::kSimple;
  option.channels = static_cast<int>(std::clamp(pair / exchange_bytes_, 1.0, exchange_channels_));
  return option;
}

const std::string& NcclTuning::generation_of(const std::string& architecture) const {
  const auto found = architectures_.find(architecture);
  if (found != architectures_.end()) return found->second;
  throw InputError("NCCL tuning " + version_ + " knows no architecture \"" + architecture + "\"");
}

const std::string& NcclTuning::generation_of_link(const std::string& lane) const {
  const auto found = link_generations_.find(lane);
  if (found != link_generations_.end()) return found->second;
  throw InputError("NCCL tuning " + version_ + " knows no NVLink \"" + lane + "\"");
}

Seconds NcclTuning::base_latency() const {
  return Seconds(1e-6 * base_us_[index(NcclAlgorithm::kRing)][index(NcclProtocol::kSimple)]);
}

Seconds NcclTuning::network_hop() const {
  return Seconds(1e-6 * network_us_[index(NcclAlgorithm::kRing)][index(NcclProtocol::kLl)]);
}

int NcclTuning::network_hops(const Call& call, NcclAlgorithm algorithm) {
  const int levels = static_cast<int>(formula::floor_log2(call.group.machines));
  switch (algorithm) {
    case NcclAlgorithm::kRing:
      return ring_network_steps(call.op, call.group);
    case NcclAlgorithm::kTree:
    case NcclAlgorithm::kNvlsTree:
      return 2 * levels;
    case NcclAlgorithm::kNvls:
      return call.group.machines > 1 ? 1 : 0;
    case NcclAlgorithm::kPat:
      return levels;
  }
  return 0;
}

// As latency_us() counts them.
int NcclTuning::inner_hops(const Call& call, NcclAlgorithm algorithm) {
  switch (algorithm) {
    case NcclAlgorithm::kRing:
      return static_cast<int>(call.steps()) - ring_network_steps(call.op, call.group);
    case NcclAlgorithm::kTree:
      return 2 * (call.group.per_machine - 1);
    case NcclAlgorithm::kNvls:
    case NcclAlgorithm::kNvlsTree:
      return 1;
    case NcclAlgorithm::kPat:
      return 0;
  }
  return 0;
}

std::vector<NcclOption> NcclTuning::options(CollectiveOp op, Bytes bytes,
                                            const CollectiveGroup& group,
                                            const NcclGraph& graph) const {
  std::vector<NcclOption> options;
  if (op == CollectiveOp::kSendRecv || op == CollectiveOp::kAllToAll) return options;
  const Call call{op, bytes.si(), group, &graph, &generation(graph.generation)};
  for (const NcclAlgorithm algorithm :
       {NcclAlgorithm::kRing, NcclAlgorithm::kTree, NcclAlgorithm::kNvls, NcclAlgorithm::kNvlsTree,
        NcclAlgorithm::kPat}) {
    for (const NcclProtocol protocol :
         {NcclProtocol::kLl, NcclProtocol::kLl128, NcclProtocol::kSimple}) {
      if (!enabled(call, algorithm, protocol)) continue;
      NcclOption option;
      option.algorithm = algorithm;
      option.protocol = protocol;
      const double rate = algorithm_GBps(call, algorithm, protocol);
      const double us = latency_us(call, algorithm, protocol) + bytes.si() / (1000 * rate);
      option.expected = Seconds(us * 1e-6);
      option.network_hops = network_hops(call, algorithm);
      option.inner_hops = inner_hops(call, algorithm);
      option.bus_rate = BytesPerSecond(rate * 1e9 * bus_factor(op, group.ranks()));
      std::tie(option.channels, option.threads) =
          channels_for(algorithm, protocol, group.ranks(), bytes, communicator_channels(graph));
      options.push_back(option);
    }
  }
  std::ranges::stable_sort(options, {}, &NcclOption::expected);
  return options;
}

}  // namespace paceline
