#include "simulator/strategies/parts/remote_servers.h"

namespace paceline {
namespace {

constexpr const char* kOwnCard = "network card of each machine";

std::string name_of(int server) { return "network card of server " + std::to_string(server); }

}  // namespace

std::vector<StrategyOption> remote_server_options(const std::string& servers) {
  return {{.name = "servers",
           .kind = OptionKind::kCount,
           .fallback = servers,
           .choices = {},
           .summary = servers.empty() ? "parameter servers; as many as machines unless set"
                                      : "parameter servers of a job that spans machines",
           .example = "3"},
          {.name = "colocated",
           .kind = OptionKind::kSwitch,
           .fallback = "off",
           .choices = {},
           .summary = "servers share the machines and network cards of the workers",
           .example = "on"}};
}

RemoteServers::RemoteServers(JobBuilder& job, int servers, bool colocated, BytesPerSecond rpc_rate)
    : job_(job), servers_(servers), colocated_(colocated), rpc_rate_(rpc_rate) {
  const int machines = job.spec().group.machines;
  if (colocated && servers > machines) {
    throw UsageError("--set servers=" + std::to_string(servers) +
                     " colocated=on: at most one server on each of the " +
                     std::to_string(machines) + " machines");
  }
}

double RemoteServers::remote() const { return job_.spec().group.machines - (colocated_ ? 1 : 0); }

Way RemoteServers::limited(Way way, int server, const char* direction) {
  const auto& per_flow = job_.spec().cluster.network->per_flow;
  if (per_flow) way.cap = *per_flow;
  if (rpc_rate_.si() <= 0) return way;
  way += job_.fabric().limit("server " + std::to_string(server) + " process, " + direction,
                             rpc_rate_, job_.spec().group.machines);
  return way;
}

Way RemoteServers::up(int server) {
  const auto known = up_.find(server);
  return known != up_.end() ? known->second : up_[server] = find_up(server);
}

Way RemoteServers::down(int server) {
  const auto known = down_.find(server);
  return known != down_.end() ? known->second : down_[server] = find_down(server);
}

Way RemoteServers::find_up(int server) {
  MachineFabric& fabric = job_.fabric();
  Way way;
  if (here(server)) {
    if (remote() > 0) way = fabric.into(kOwnCard, remote());
  } else {
    way = fabric.to_network() + fabric.into(name_of(server), remote());
  }
  return limited(std::move(way), server, "in");
}

Way RemoteServers::find_down(int server) {
  MachineFabric& fabric = job_.fabric();
  Way way;
  if (here(server)) {
    if (remote() > 0) way = fabric.out_of(kOwnCard, remote());
  } else {
    way = fabric.from_network() + fabric.out_of(name_of(server), remote());
  }
  return limited(std::move(way), server, "out");
}

ResourceId RemoteServers::processor(int server) {
  return job_.queue(-1, "server " + std::to_string(server) + " adds");
}

std::vector<std::string> remote_server_remarks(const JobSpec& job, int servers, bool colocated) {
  if (job.group.machines < 2 || colocated) return {};
  return {"uses " + std::to_string(servers) +
          " extra machines as parameter servers (--set colocated=on puts them on the workers)"};
}

}  // namespace paceline
