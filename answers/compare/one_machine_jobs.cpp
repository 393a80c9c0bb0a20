#include "answers/compare/one_machine_jobs.h"

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace paceline {
namespace {

// As `report` says, but of this experiment.
Report of_experiment(Report report, const Experiment& e) {
  const auto per_machine = report.experiment.devices_per_machine;
  report.experiment = e;
  report.experiment.devices_per_machine = per_machine;
  return report;
}

}  // namespace

// Options of the network and assumptions about one that was typed are said of each point.
bool OneMachineJobs::may_ignore_network(const Experiment& e) const {
  const bool one_machine = e.devices_per_machine.value_or(e.devices) >= e.devices;
  if (!one_machine || !e.net || e.devices < 2 || e.cluster || e.topo) return false;
  if (e.options.contains("transport") || e.options.contains("connections")) return false;
  return links_.find(*e.net) != nullptr &&
         parse_link(*e.net, LinkUse::kNetwork, links_).warnings.empty();
}

const Report& OneMachineJobs::without_network(const Experiment& e, const Simulate& simulate) {
  const std::string key = std::to_string(e.devices) + "|" +
                          std::to_string(e.devices_per_machine.value_or(0)) + "|" +
                          e.intra.value_or("");
  Job* found = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Job>& job = jobs_[key];
    if (job == nullptr) job = std::make_unique<Job>();
    found = job.get();
  }
  std::call_once(found->once, [&] {
    Experiment without = e;
    without.net.reset();
    found->report = simulate(without);
  });
  return found->report;
}

Report OneMachineJobs::report(const Experiment& e, const Simulate& simulate) {
  if (!may_ignore_network(e)) return simulate(e);
  std::call_once(compared_, [&] {
    try {
      const Report with = simulate(e);
      ignored_ = to_json(of_experiment(without_network(e, simulate), e)) == to_json(with);
    } catch (const Error&) {
      ignored_ = false;
    }
  });
  return ignored_ ? of_experiment(without_network(e, simulate), e) : simulate(e);
}

}  // namespace paceline
