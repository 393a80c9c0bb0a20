// Jobs in one machine of a cluster: most strategies have no use for its network there, and points
// of a sweep that differ in nothing else are then one simulation.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "model/hardware/link_catalog.h"
#include "model/plan/report.h"

namespace paceline {

class OneMachineJobs {
 public:
  using Simulate = std::function<Report(const Experiment&)>;

  OneMachineJobs() : links_(LinkCatalog::shipped()) {}

  // What `simulate` says of the experiment. The first job of one machine with a network of the
  // catalog is simulated with and without it; where both say the same, number for number, further
  // ones are simulated without, once for all networks. A strategy that uses the network inside one
  // machine (dedicated servers) says something else, or refuses. All experiments must agree in
  // everything but their cluster. From any thread.
  Report report(const Experiment& experiment, const Simulate& simulate);

 private:
  struct Job {
    std::once_flag once;
    Report report;  // without the network
  };

  bool may_ignore_network(const Experiment& experiment) const;
  const Report& without_network(const Experiment& experiment, const Simulate& simulate);

  LinkCatalog links_;
  std::once_flag compared_;
  bool ignored_ = false;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Job>> jobs_;
};

}  // namespace paceline
