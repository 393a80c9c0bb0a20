#include "answers/check/network_check.h"

#include <cmath>

#include "core/units_text.h"
#include "model/collective/collective.h"

namespace paceline {
namespace {

constexpr double kNoticeable = 0.1;        // of the iteration; below, noise decides
constexpr double kNetworkShortfall = 0.5;  // of the achieved rate of the link

std::string bits(BytesPerSecond rate) { return significant(8 * rate.si() / 1e9, 2) + " Gb/s"; }

// The network whose line rate is nearest to the implied range, if it is slower than `link`.
const LinkSpec* looks_like(const ImpliedBandwidth& implied, const LinkSpec& link,
                           const LinkCatalog& catalog) {
  const double middle = std::sqrt(implied.low.si() * implied.high.si());
  const LinkSpec* best = nullptr;
  double distance = std::log(1.3);
  for (const LinkSpec& other : catalog.links()) {
    if (other.kind != LinkKind::kEthernet || other.data_sheet >= link.data_sheet) continue;
    const double d = std::abs(std::log(other.data_sheet.si() / middle));
    if (d < distance) best = &other, distance = d;
  }
  return best;
}

}  // namespace

std::optional<ImpliedBandwidth> implied_bandwidth(const NetworkRun& run) {
  const Seconds exposed = run.iteration - run.without;
  if (run.devices < 2 || exposed < kNoticeable * run.iteration) return std::nullopt;
  const Bytes sent =
      bus_factor(CollectiveOp::kAllReduce, static_cast<int>(run.devices)) * run.gradient;
  return ImpliedBandwidth{sent / run.iteration, sent / exposed};
}

std::optional<Finding> check_network(const NetworkRun& run, const LinkCatalog& catalog) {
  const std::optional<ImpliedBandwidth> implied = implied_bandwidth(run);
  if (!implied || implied->high >= kNetworkShortfall * run.link->achieved) return std::nullopt;
  const LinkSpec& link = *run.link;
  Finding out;
  out.what = "bandwidth between machines";
  out.measured = std::sqrt(implied->low.si() * implied->high.si());
  out.expected = link.achieved.si();
  out.unit = "B/s";
  out.verdict = Verdict::kImplausible;
  out.cause = "the iteration implies about " + bits(BytesPerSecond(out.measured)) + " (" +
              bits(implied->low) + " .. " + bits(implied->high) + ") of the " +
              bits(link.data_sheet) + " of " + link.name;
  if (const LinkSpec* other = looks_like(*implied, link, catalog)) {
    out.cause += ", the rate of " + other->name;
  }
  for (const Transport& transport : link.transports) {
    if (!transport.per_flow || *transport.per_flow < implied->low) continue;
    out.cause +=
        "; one " + transport.name + " connection carries no more than " + bits(*transport.per_flow);
  }
  out.remedy =
      "the interface that is used (NCCL_SOCKET_IFNAME), several connections "
      "(NCCL_SOCKET_NTHREADS, NCCL_NSOCKS_PERTHREAD), RDMA or EFA instead of TCP; measure with "
      "nccl-tests and check the log";
  return out;
}

}  // namespace paceline
