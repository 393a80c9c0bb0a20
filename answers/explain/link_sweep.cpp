#include "answers/explain/link_sweep.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "answers/compare/connected_networks.h"
#include "core/percent.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr double kKnee = 1.05;
constexpr double kLeastGain = 1.02;  // of the last doubling; below, the sweep has levelled off

std::string bit_rate(BytesPerSecond rate) { return significant(8 * rate.si() / 1e9) + " Gb/s"; }

// The experiment on its network at another rate: transport, latency and the limit of a connection
// stay, whatever links the catalog has at that rate.
Experiment at_rate(Experiment e, double factor) {
  if (factor != 1) *e.net += "*" + significant(factor, 6);
  return e;
}

std::optional<LinkSpec> network_of(const Experiment& e, const LinkCatalog& links) {
  const std::int64_t inside = e.devices_per_machine.value_or(e.devices);
  if (!e.net || e.devices <= inside) return std::nullopt;
  return parse_link(*e.net, LinkUse::kNetwork, links);
}

// Same kind and wiring, 1.8 to 2.6 times the rate; the nearest to twice.
const LinkSpec* twice_as_fast(const LinkSpec& link, const LinkCatalog& links) {
  const LinkSpec* best = nullptr;
  double distance = std::log(1.3);
  for (const LinkSpec& other : links.links()) {
    if (other.kind != link.kind || other.wiring != link.wiring || other.lanes != link.lanes)
      continue;
    const double d = std::abs(std::log(other.data_sheet / link.data_sheet / 2));
    if (d < distance) best = &other, distance = d;
  }
  return best;
}

double change(const Report& with, const Report& without) {
  return with.iteration_time_s.median / without.iteration_time_s.median - 1;
}

}  // namespace

std::vector<Sensitivity> link_sensitivities(const Experiment& e, const Predict& predict,
                                            const LinkCatalog& links) {
  std::vector<Sensitivity> out;
  if (network_of(e, links)) {
    const Report as_it_is = predict(e);
    out.push_back({"twice the bandwidth of " + *e.net, change(predict(at_rate(e, 2)), as_it_is)});
    if (const auto few = limiting_connections(as_it_is)) {
      Experiment more = e;
      more.options["connections"] = std::to_string(2 * *few);
      out.push_back(
          {"twice the connections (--set connections=" + more.options["connections"] + ")",
           change(predict(more), as_it_is)});
    }
  }
  if (e.intra && e.devices > 1) {
    const LinkSpec* link = links.find(*e.intra);
    const LinkSpec* faster = link == nullptr ? nullptr : twice_as_fast(*link, links);
    if (faster != nullptr) {
      Experiment other = e;
      other.intra = faster->name;
      out.push_back(
          {faster->name + " instead of " + link->name, change(predict(other), predict(e))});
    }
  }
  return out;
}

std::optional<BandwidthSweep> network_sweep(const Experiment& e, const Predict& predict,
                                            const LinkCatalog& links) {
  const std::optional<LinkSpec> link = network_of(e, links);
  if (!link) return std::nullopt;
  BandwidthSweep sweep;
  for (double factor = 0.25; factor <= 32; factor *= 2) {
    const BytesPerSecond rate = factor * link->data_sheet;
    const Report report = predict(at_rate(e, factor));
    sweep.points.push_back({rate, report.iteration_time_s,
                            report.breakdown.exposed_communication / report.breakdown.total()});
  }
  const double best = sweep.points.back().iteration_s.median;
  const double before = sweep.points[sweep.points.size() - 2].iteration_s.median;
  if (before > kLeastGain * best) return sweep;
  for (const BandwidthPoint& point : sweep.points) {
    if (point.iteration_s.median > kKnee * best) continue;
    sweep.knee = point.bandwidth;
    break;
  }
  return sweep;
}

Table sweep_table(const BandwidthSweep& sweep) {
  Table table({"network", "iteration", "p05", "p95", "exposed"});
  for (const BandwidthPoint& p : sweep.points) {
    table.add_row({bit_rate(p.bandwidth), to_text(Seconds(p.iteration_s.median)),
                   to_text(Seconds(p.iteration_s.p05)), to_text(Seconds(p.iteration_s.p95)),
                   percent(p.exposed_share)});
  }
  return table;
}

std::string knee_text(const BandwidthSweep& sweep) {
  if (!sweep.knee) return "every doubling of the network still gains";
  return "above " + bit_rate(*sweep.knee) + " a faster network gains less than 5 %";
}

nlohmann::ordered_json to_json(const BandwidthSweep& sweep) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const BandwidthPoint& p : sweep.points) {
    points.push_back({{"bandwidth_bytes_per_s", p.bandwidth.si()},
                      {"iteration_time_s", p.iteration_s.median},
                      {"exposed_share", p.exposed_share}});
  }
  nlohmann::ordered_json out = {{"points", points}};
  if (sweep.knee) out["knee_bytes_per_s"] = sweep.knee->si();
  return out;
}

}  // namespace paceline
