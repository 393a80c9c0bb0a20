// Servers that hold variables, reached over the network by every machine of a job: TensorFlow's
// parameter servers and ps-lite's. Machines do the same, so the one that is simulated stands for
// all: its message of some bytes takes that much of its own cable and, at the server, as much as
// all machines' together.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/strategies/strategy.h"

namespace paceline {

// servers, colocated.
std::vector<StrategyOption> remote_server_options(const std::string& servers);

class RemoteServers {
 public:
  // `rpc_rate`: what one server process passes in each direction, whatever its cable; 0: no limit.
  RemoteServers(JobBuilder& job, int servers, bool colocated, BytesPerSecond rpc_rate);

  int count() const { return servers_; }
  // From host memory of the machine to the server, and back.
  Way up(int server);
  Way down(int server);
  // Where the server adds and updates, one key at a time.
  ResourceId processor(int server);

 private:
  Way find_up(int server);
  Way find_down(int server);
  Way limited(Way way, int server, const char* direction);
  bool here(int server) const { return colocated_ && server == 0; }
  double remote() const;

  JobBuilder& job_;
  int servers_;
  bool colocated_;
  BytesPerSecond rpc_rate_;
  std::map<int, Way> up_, down_;  // of the servers asked for
};

std::vector<std::string> remote_server_remarks(const JobSpec& job, int servers, bool colocated);

}  // namespace paceline
