#include "model/collective/collective_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/statistics.h"
#include "core/units_text.h"

namespace paceline {
namespace {

using formula::CollectiveProtocol;

bool is_exchange(CollectiveOp op) {
  return op == CollectiveOp::kAllToAll || op == CollectiveOp::kSendRecv;
}

std::vector<double> values_of(const Fit& fit) {
  std::vector<double> values;
  for (const formula::Declaration& parameter : CollectiveProtocol::kParameters) {
    values.push_back(fit.value(std::string(parameter.name)));
  }
  return values;
}

bool outside(const Fit& fit, const std::string& quantity, double value) {
  const auto range = fit.domain.find(quantity);
  if (range == fit.domain.end()) return false;
  return value < range->second.first * 0.5 || value > range->second.second * 2.0;
}

// Messages that wait for each other: NCCL's ring and every algorithm of the processors' libraries
// that passes pieces round; ceil(log2 n) of dissemination and of a tree each way.
int steps_of(const CollectiveCall& call, const std::string& algorithm) {
  const int ranks = call.group.ranks();
  int levels = 0;
  while ((1 << levels) < ranks) ++levels;
  if (algorithm == to_string(NcclAlgorithm::kPat)) return levels;
  if (algorithm == to_string(NcclAlgorithm::kNvls)) return 1;
  if (algorithm == to_string(NcclAlgorithm::kTree)) return 2 * levels;
  return ring_steps(call.op, ranks);
}

Seconds least_time(double volume, CollectiveOp op, const FabricGroup& fabric) {
  const double headroom = fabric.ceiling / fabric.bus_rate;
  return Seconds(volume / (bus_rate_of(op, fabric).si() * headroom));
}

}  // namespace

struct CollectiveModel::Choice {
  std::string algorithm;
  std::string fit_name;
  NcclOption option;
};

Seconds CollectiveCost::quantile(double p) const {
  return std::max(least, time * std::exp(sd * normal_quantile(p)));
}

bool reduces_in_switch(const CollectiveCost& cost) {
  return cost.algorithm == to_string(NcclAlgorithm::kNvls) ||
         cost.algorithm == to_string(NcclAlgorithm::kNvlsTree);
}

CollectiveProtocol::Input protocol_input(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                                         const NcclOption& option, BytesPerSecond bus_rate) {
  const int ranks = group.ranks();
  CollectiveProtocol::Input in;
  in.steps = ring_steps(op, ranks);
  in.volume = bytes.si() * bus_factor(op, ranks);
  in.channel_bytes = in.volume;
  in.channels = option.channels;
  in.bus_rate = bus_rate.si();
  in.copied = bytes.si() * (op == CollectiveOp::kAllReduce ? 2 : 1);
  if (op == CollectiveOp::kAllReduce && option.algorithm == NcclAlgorithm::kNvls) {
    // The switch adds: a rank sends its data and takes 1/n of the sum in, and sends that out again.
    in.volume = in.channel_bytes = bytes.si() * (1 + 1.0 / ranks);
  }
  if (is_exchange(op)) {
    in.channel_bytes = op == CollectiveOp::kSendRecv ? bytes.si() : bytes.si() / ranks;
    in.copied = bytes.si();
  }
  return in;
}

CollectiveModel CollectiveModel::shipped() {
  return {NcclTuning::shipped(), HostTuning::shipped(), CollectiveParameters::shipped()};
}

CollectiveModel::Choice CollectiveModel::choose(const CollectiveCall& call,
                                                const FabricGroup& fabric) const {
  if (is_exchange(call.op)) {
    const NcclOption option = tuning_.exchange_option(call.op, call.bytes, call.group.ranks());
    return {"direct", exchange_fit_name(call.op, option.protocol), option};
  }
  const std::vector<NcclOption> options =
      tuning_.options(call.op, call.bytes, call.group, fabric.graph);
  std::string known;
  for (const NcclOption& option : options) {
    const bool wanted = (!call.algorithm || *call.algorithm == option.algorithm) &&
                        (!call.protocol || *call.protocol == option.protocol);
    const std::string name =
        std::string(to_string(option.algorithm)) + "/" + std::string(to_string(option.protocol));
    if (wanted) {
      return {std::string(to_string(option.algorithm)),
              collective_fit_name(call.op, option.algorithm, option.protocol), option};
    }
    known += (known.empty() ? "" : ", ") + name;
  }
  throw UsageError("NCCL does not run " + std::string(to_string(call.op)) +
                   " over this group the wanted way; it has " + known);
}

CollectiveCost CollectiveModel::with_fit(const Fit& fit, const std::string& fabric_class,
                                         const CollectiveProtocol::Input& input,
                                         const CollectiveCall& call,
                                         const FabricGroup& fabric) const {
  const std::vector<double> values = values_of(fit);
  const auto parts = CollectiveProtocol::evaluate(input, values.data());
  CollectiveCost cost;
  cost.time = Seconds(parts.total);
  const Seconds extra = call.group.machines > 1 ? fabric.network_extra : fabric.inner_extra;
  cost.latency = std::max(Seconds(), Seconds(parts.fixed) + extra * input.steps);
  cost.time += cost.latency - Seconds(parts.fixed);
  // Machines that a network was measured on had no slower links inside.
  const bool inside = call.group.machines > 1 && fabric.bus_rate < fabric.network_rate;
  const bool borrowed = fabric_class != fabric.fabric_class || inside;
  if (borrowed) {
    // Constants of another fabric must not carry data faster than this one can.
    cost.time = std::max(cost.time, cost.latency + Seconds(input.volume / input.bus_rate));
  }
  cost.sd = std::hypot(fit.quality.shared_sd, fit.quality.own_sd);
  cost.origin = {OriginKind::kFitted, "fit " + fit.implementation + " on " + fabric_class};
  const bool extrapolated =
      outside(fit, "bytes", call.bytes.si()) || outside(fit, "ranks", call.group.ranks());
  if (borrowed) {
    cost.warnings.push_back("no measurement of " + fabric.fabric_class +
                            (inside ? " beyond slower " + fabric.inner_class : std::string()) +
                            ": the constants of " + fabric_class + " at this fabric's bandwidth");
  }
  if (extrapolated) {
    cost.warnings.push_back("outside the sizes or rank counts measured on " + fabric_class);
  }
  if (borrowed || extrapolated) cost.origin.kind = OriginKind::kExtrapolated;
  if (borrowed) cost.sd = std::hypot(cost.sd, tuning_.prior().borrowed_sd);
  if (extrapolated) cost.sd = std::hypot(cost.sd, tuning_.prior().extrapolated_sd);
  return cost;
}

CollectiveCost CollectiveModel::fitted(const CollectiveCall& call, const FabricGroup& fabric,
                                       const Choice& choice) const {
  const std::string fabric_class = *parameters_.nearest_class(fabric.fabric_class, choice.fit_name);
  const Fit& fit = *parameters_.find(fabric_class, choice.fit_name);
  const auto input =
      protocol_input(call.op, call.bytes, call.group, choice.option, bus_rate_of(call.op, fabric));
  return with_fit(fit, fabric_class, input, call, fabric);
}

// Constants of several protocols may be borrowed from different classes, or be far from what they
// were fitted to, and then contradict NCCL's choice among them. A protocol whose constants come
// from farther away than another's takes that one's time in NCCL's own proportion of the two on
// this fabric; of one class, what NCCL prefers is not slower than what it left.
// docs/decisions/071-borrowed-protocols.md.
void CollectiveModel::reconcile(const CollectiveCall& call, const FabricGroup& fabric,
                                const Choice& choice, CollectiveCost& cost) const {
  const auto distance_of = [&](const std::string& fit_name) {
    const auto known = parameters_.nearest_class(fabric.fabric_class, fit_name);
    return known ? CollectiveParameters::distance(*known, fabric.fabric_class)
                 : std::numeric_limits<double>::infinity();
  };
  double nearest = distance_of(choice.fit_name);
  if (nearest == 0) return;
  for (const NcclOption& option : tuning_.options(call.op, call.bytes, call.group, fabric.graph)) {
    if (option.algorithm != choice.option.algorithm) continue;
    if (option.protocol == choice.option.protocol) continue;
    const Choice other{choice.algorithm,
                       collective_fit_name(call.op, option.algorithm, option.protocol), option};
    const double distance = distance_of(other.fit_name);
    if (distance > nearest) continue;
    CollectiveCost scaled = fitted(call, fabric, other);
    const bool nearer = distance < nearest;
    const double ratio = choice.option.expected / option.expected;
    if (!nearer && (ratio > 1 || scaled.time >= cost.time)) continue;
    nearest = distance;
    const double factor = nearer ? ratio : 1;
    scaled.time = scaled.time * factor;
    scaled.latency = scaled.latency * factor;
    if (distance == 0) scaled.sd = std::hypot(scaled.sd, tuning_.prior().borrowed_sd);
    scaled.origin.kind = OriginKind::kExtrapolated;
    scaled.warnings.push_back("nothing nearer measured for " +
                              std::string(to_string(choice.option.protocol)) + ": the time of " +
                              std::string(to_string(option.protocol)) +
                              (nearer ? " in NCCL's proportion of the two" : ""));
    cost = scaled;
  }
}

// MPI and Gloo: one channel, steps of the network's latency where nothing was measured.
CollectiveCost CollectiveModel::host_cost(const CollectiveCall& call,
                                          const FabricGroup& fabric) const {
  const HostChoice choice = hosts_.choose(call.library, call.op, call.bytes, call.group.ranks());
  const std::string fit_name = host_fit_name(call.library, call.op, choice);
  const auto input = host_input(call.op, choice.algorithm, call.bytes, call.group.ranks(),
                                bus_rate_of(call.op, fabric));
  const std::optional<std::string> fabric_class =
      parameters_.nearest_class(fabric.fabric_class, fit_name);
  const Fit* fit = fabric_class ? parameters_.find(*fabric_class, fit_name) : nullptr;
  CollectiveCost cost;
  if (fit != nullptr) {
    cost = with_fit(*fit, *fabric_class, input, call, fabric);
  } else {
    cost.latency = std::max(fabric.inner_latency, fabric.network_latency) * input.steps;
    cost.time = cost.latency + Seconds(input.volume / input.bus_rate);
    cost.sd = tuning_.prior().sd;
    cost.origin = {OriginKind::kDataSheet, "link rates of the catalog"};
    cost.warnings.push_back("nothing measured for " + fit_name + " on " + fabric.fabric_class +
                            ": link rates alone, the processors' additions not counted");
  }
  cost.algorithm = choice.algorithm;
  cost.protocol = choice.protocol;
  cost.least = least_time(input.volume, call.op, fabric);
  return cost;
}

// Inside a machine: NCCL's latencies, and the share of its bandwidth that measured machines reach.
// Between machines the data go at the rate that the transport achieves, which is a measured one,
// and a hop that is slower than the tables' adds the difference; inside, a latency that was typed
// adds its difference to what links of such a rate have.
CollectiveCost CollectiveModel::estimated(const CollectiveCall& call, const FabricGroup& fabric,
                                          const Choice& choice) const {
  CollectiveCost cost;
  const double volume = call.bytes.si() * bus_factor(call.op, call.group.ranks());
  const bool network = call.group.machines > 1;
  const double reached = network ? 1 : tuning_.prior().bandwidth;
  const BytesPerSecond rate = bus_rate_of(call.op, fabric);
  if (is_exchange(call.op)) {
    const Seconds hop = std::max(fabric.inner_latency, fabric.network_latency);
    cost.latency = tuning_.base_latency() + hop;  // all messages are under way at once
    cost.time = cost.latency + Seconds(volume / (reached * rate.si()));
  } else {
    const NcclOption& option = choice.option;
    const Seconds slow_hop = std::max(Seconds(), fabric.network_latency - tuning_.network_hop());
    cost.latency = std::max(Seconds(), option.expected - Seconds(volume / option.bus_rate.si()) +
                                           fabric.inner_extra * option.inner_hops) +
                   slow_hop * option.network_hops;
    const double whole = fabric.graph.channels * fabric.graph.channel_GBps * 1e9;
    const double data = network ? rate.si() * std::min(1.0, option.bus_rate.si() / whole)
                                : reached * option.bus_rate.si();
    cost.time = cost.latency + Seconds(volume / data);
  }
  cost.sd = tuning_.prior().sd;
  cost.origin = {OriginKind::kDataSheet, is_exchange(call.op)
                                             ? "link rates of the catalog"
                                             : "NCCL " + tuning_.version() + " tuning tables"};
  cost.warnings.push_back("nothing measured for " + choice.fit_name + " on " + fabric.fabric_class +
                          ": NCCL's own estimate");
  return cost;
}

CollectiveCost CollectiveModel::nccl_cost(const CollectiveCall& call,
                                          const FabricGroup& fabric) const {
  const Choice choice = choose(call, fabric);
  const bool has_fit = parameters_.nearest_class(fabric.fabric_class, choice.fit_name).has_value();
  CollectiveCost cost = has_fit ? fitted(call, fabric, choice) : estimated(call, fabric, choice);
  if (has_fit && !is_exchange(call.op)) reconcile(call, fabric, choice, cost);
  cost.algorithm = choice.algorithm;
  cost.protocol = to_string(choice.option.protocol);
  cost.channels = choice.option.channels;
  const auto input =
      protocol_input(call.op, call.bytes, call.group, choice.option, bus_rate_of(call.op, fabric));
  cost.least = least_time(input.volume, call.op, fabric);
  return cost;
}

CollectiveCost CollectiveModel::cost(const CollectiveCall& call, const FabricGroup& fabric) const {
  if (call.group.ranks() < 2) {
    throw UsageError("a collective needs at least 2 ranks, found " +
                     std::to_string(call.group.ranks()));
  }
  if (call.bytes.si() <= 0) {
    throw UsageError("the size of a collective must be positive, found " + to_text(call.bytes));
  }
  CollectiveCost cost = call.library == "nccl" ? nccl_cost(call, fabric) : host_cost(call, fabric);
  cost.library = call.library;
  cost.time = std::max(cost.time, cost.least);
  cost.algorithm_rate = call.bytes / cost.time;
  cost.bus_rate = cost.algorithm_rate * bus_factor(call.op, call.group.ranks());
  cost.fabric_rate = bus_rate_of(call.op, fabric);
  const bool by_latency = cost.latency.si() > 0.5 * cost.time.si();
  cost.bottleneck = by_latency ? "latency of " + std::to_string(steps_of(call, cost.algorithm)) +
                                     " steps over " + fabric.fabric_class
                               : fabric.bottleneck;
  if (!by_latency && !fabric.remedy.empty()) cost.warnings.push_back(fabric.remedy);
  return cost;
}

}  // namespace paceline
