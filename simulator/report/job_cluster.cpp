#include "simulator/report/job_cluster.h"

#include "simulator/strategies/options.h"

namespace paceline {
namespace {

std::string option_of(const Experiment& e, const std::string& name) {
  const auto found = e.options.find(name);
  return found == e.options.end() ? "" : found->second;
}

}  // namespace

int job_count(const Experiment& e, const std::string& name, const char* owner) {
  const std::string text = option_of(e, name);
  if (text.empty()) return 0;
  const std::map<std::string, std::string> set{{name, text}};
  return StrategyOptions(owner,
                         {{.name = name,
                           .kind = OptionKind::kCount,
                           .fallback = "",
                           .choices = {},
                           .summary = "",
                           .example = ""}},
                         set)
      .count(name);
}

ClusterRequest cluster_request(const Experiment& e, const DeviceSpec* device) {
  ClusterRequest request;
  if (device != nullptr) {
    request.device = device->name;
    request.described = device;
  }
  request.intra = e.intra;
  request.net = e.net;
  request.cluster = e.cluster;
  request.topo = e.topo;
  request.transport = option_of(e, "transport");
  request.connections = job_count(e, "connections", "network");
  if (!e.cluster && !e.topo) {
    request.gpus = static_cast<int>(e.devices);
    if (e.devices_per_machine) request.gpus_per_node = static_cast<int>(*e.devices_per_machine);
  }
  return request;
}

std::string to_text(const ClusterRequest& r) {
  std::string out = r.device;
  for (const auto* name : {&r.intra, &r.net, &r.cluster, &r.topo}) out += "|" + name->value_or("");
  for (const int count : {r.gpus.value_or(0), r.gpus_per_node.value_or(0), r.nodes.value_or(0),
                          r.connections, r.intra_is_host_link ? 1 : 0}) {
    out += "|" + std::to_string(count);
  }
  return out + "|" + r.transport;
}

}  // namespace paceline
