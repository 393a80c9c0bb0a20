#include "answers/check/collective_check.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr double kTolerance = 1.05;  // clocks of links, rounding of the printed table
constexpr double kCollectiveShortfall = 0.5;
constexpr double kFalling = 0.7;  // of the best rate of smaller sizes
constexpr double kLarge = 1 << 20;

struct Point {
  double bytes = 0;
  double seconds = 0;
  int ranks = 0;
  int machines = 1;
  double rate(CollectiveOp op) const { return bus_factor(op, ranks) * bytes / seconds; }
};

// Out of place where there are both, by operation and ascending size.
std::map<CollectiveOp, std::vector<Point>> by_operation(const MeasurementSet& measured) {
  std::map<CollectiveOp, std::vector<Point>> out;
  for (const Measurement& m : measured.results) {
    if (m.skipped || m.text("in_place") == "yes") continue;
    const CollectiveOp op = parse_collective(m.benchmark.substr(m.benchmark.find('.') + 1));
    out[op].push_back({m.number("bytes"), m.value().si(), m.count("ranks"), m.count("machines")});
  }
  for (auto& [op, points] : out) std::ranges::sort(points, {}, &Point::bytes);
  return out;
}

// nccl-tests doubles its sizes from a power of two: "1 GiB" where that is the whole size.
std::string size(double bytes) {
  for (const auto& [unit, name] : {std::pair{1024.0 * 1024 * 1024, " GiB"},
                                   std::pair{1024.0 * 1024, " MiB"}, std::pair{1024.0, " KiB"}}) {
    if (bytes >= unit && std::fmod(bytes, unit) == 0)
      return std::to_string(std::llround(bytes / unit)) + name;
  }
  return to_text(Bytes(bytes));
}

// The slower link of the catalog whose rate is nearest to what was reached.
std::string looks_like(double rate, BytesPerSecond limit, const LinkCatalog& links) {
  const LinkSpec* best = nullptr;
  double distance = std::log(1.25);
  for (const LinkSpec& link : links.links()) {
    if (link.achieved >= kCollectiveShortfall * limit || link.kind == LinkKind::kMemory) continue;
    const double d = std::abs(std::log(link.achieved.si() / rate));
    if (d < distance) best = &link, distance = d;
  }
  return best == nullptr ? "" : "; that is the rate of " + best->name;
}

Finding held_against(CollectiveOp op, const Point& point, const CollectiveFabric& fabric) {
  CollectiveCall call;
  call.op = op;
  call.bytes = Bytes(point.bytes);
  call.group = fabric.fabric.group;
  const CollectiveCost cost = fabric.model->cost(call, fabric.fabric);
  const double rate = point.rate(op);
  Finding finding{.what = "bus bandwidth of " + std::string(to_string(op)) + " of " +
                          size(point.bytes) + " over " + std::to_string(point.ranks) + " ranks",
                  .measured = rate,
                  .expected = cost.bus_rate.si(),
                  .unit = "B/s",
                  .cause = significant(rate / cost.bus_rate.si()) + " of the prediction (" +
                           cost.algorithm + ", limit " + cost.bottleneck + ")"};
  const bool switch_reduces =
      cost.algorithm.starts_with("nvls") || cost.algorithm.starts_with("collnet");
  const BytesPerSecond limit = fabric.fabric.bus_rate;
  if (rate > kTolerance * limit.si()) {
    finding.cause = "more than the " + to_text(limit) + " that " + fabric.fabric.bottleneck +
                    " carries in one direction";
    if (switch_reduces) {
      finding.cause +=
          ", which reduction in the switch allows: bus bandwidth is defined for a ring";
    } else {
      finding.expected = limit.si();
      finding.verdict = Verdict::kImpossible;
      finding.cause +=
          ": algorithm and bus bandwidth confused, both directions added, or another "
          "machine";
    }
  } else if (rate < kCollectiveShortfall * cost.bus_rate.si()) {
    finding.verdict = Verdict::kImplausible;
    finding.cause += looks_like(rate, limit, *fabric.links_known);
    finding.remedy = point.machines > 1
                         ? "NCCL_DEBUG=INFO shows the transport: RDMA or sockets, which interface, "
                           "how many connections (NCCL_NSOCKS_PERTHREAD), GPUDirect"
                         : "nvidia-smi topo -m and nvidia-smi nvlink -s: peer access, PCIe "
                           "width and generation, links that are down";
  }
  return finding;
}

// Bandwidth grows with the size until the links are full.
std::optional<Finding> falling(CollectiveOp op, const std::vector<Point>& points) {
  const Point* best = nullptr;
  for (const Point& point : points) {
    if (point.bytes < kLarge) continue;
    if (best != nullptr && point.rate(op) < kFalling * best->rate(op)) {
      return Finding{
          .what = "bus bandwidth of " + std::string(to_string(op)) + " of " + size(point.bytes),
          .measured = point.rate(op),
          .expected = best->rate(op),
          .unit = "B/s",
          .cause = "falls below that of " + size(best->bytes) +
                   ", where larger messages should do better: another job on the "
                   "links, a link that retries, or one slow rank",
          .remedy = "repeat the run with -I 1 and look at the spread",
          .verdict = Verdict::kImplausible};
    }
    if (best == nullptr || point.rate(op) > best->rate(op)) best = &point;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Finding> check_collectives(const MeasurementSet& measured,
                                       const std::optional<CollectiveFabric>& fabric) {
  std::vector<Finding> out;
  for (const auto& [op, points] : by_operation(measured)) {
    const Point& largest = points.back();
    if (fabric) {
      if (largest.ranks != fabric->fabric.group.ranks()) {
        throw UsageError(
            "the file has " + std::to_string(largest.ranks) + " ranks, the machine described has " +
            std::to_string(fabric->fabric.group.ranks()) + "; --gpus says how many ran");
      }
      out.push_back(held_against(op, largest, *fabric));
    } else {
      out.push_back(
          {.what = "bus bandwidth of " + std::string(to_string(op)) + " of " + size(largest.bytes),
           .measured = largest.rate(op),
           .expected = largest.rate(op),
           .unit = "B/s",
           .cause = "give --cluster, or --device, --gpus and --intra, to hold it against "
                    "the links"});
    }
    std::optional<Finding> fall = falling(op, points);
    if (fall) out.push_back(std::move(*fall));
  }
  if (out.empty()) throw InputError("no measured collective in the file");
  return out;
}

}  // namespace paceline
