#include "answers/compare/connected_networks.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "answers/compare/varying.h"
#include "model/collective/connection_limit.h"

namespace paceline {
namespace {

constexpr double kAlike = 0.01;

// Points whose time is that of the first, and the networks that they have.
struct AlikeNetworks {
  double iteration = 0;
  int connections = 0;
  std::vector<std::string> names;
};

std::string listed_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return out;
}

void add_network(std::vector<AlikeNetworks>& known, const Report& report, int connections) {
  const double time = report.iteration_time_s.median;
  const std::string& name = *report.experiment.net;
  for (AlikeNetworks& alike : known) {
    if (alike.connections != connections || std::abs(time / alike.iteration - 1) > kAlike) continue;
    if (std::ranges::find(alike.names, name) == alike.names.end()) alike.names.push_back(name);
    return;
  }
  known.push_back({time, connections, {name}});
}

}  // namespace

std::optional<int> limiting_connections(const Report& report) {
  if (const auto few = limiting_connections(report.bottleneck.resource)) return few;
  for (const std::string& warning : report.warnings) {
    if (const auto few = limiting_connections(warning)) return few;
  }
  return std::nullopt;
}

std::vector<std::string> networks_alike(const std::vector<Report>& reports) {
  const std::vector<VaryingKey> keys = varying_keys(reports);
  std::map<std::string, std::vector<AlikeNetworks>> groups;  // by all settings but the network
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const std::optional<int> few = limiting_connections(reports[i]);
    if (!few || !reports[i].experiment.net) continue;
    std::string others;
    for (const VaryingKey& key : keys) {
      if (key.name != "net") others += key.values[i] + "\n";
    }
    add_network(groups[others], reports[i], *few);
  }
  std::vector<std::string> out;
  for (const auto& [others, networks] : groups) {
    for (const AlikeNetworks& alike : networks) {
      if (alike.names.size() < 2) continue;
      const std::string line =
          listed_names(alike.names) + " give the same: " + std::to_string(alike.connections) +
          (alike.connections == 1 ? " connection" : " connections") +
          " of each machine limit them, not the cards; --set connections=N opens more";
      if (std::ranges::find(out, line) == out.end()) out.push_back(line);
    }
  }
  return out;
}

}  // namespace paceline
