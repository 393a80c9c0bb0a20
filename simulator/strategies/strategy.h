// How the gradients of an iteration are aggregated: one file in this folder per mechanism. A
// strategy sees one device's compute profile, the cluster and its options; it never looks at the
// name of a framework. docs/models/strategies.md lists them; docs/extending.md says how to add one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/registry.h"
#include "simulator/job/aggregation.h"
#include "simulator/job/job_builder.h"
#include "simulator/strategies/options.h"

namespace paceline {

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual std::vector<StrategyOption> options() const { return {}; }
  // Throws UsageError for a job or options it cannot run.
  virtual void check(const JobSpec&, const StrategyOptions&) const {}
  // How many ranks of the first machine differ and are simulated; 1: all ranks do the same.
  virtual int simulated_ranks(const JobSpec&, const StrategyOptions&) const { return 1; }
  virtual std::unique_ptr<Aggregation> start(JobBuilder&, const StrategyOptions&) const = 0;
  // Bytes that the rank which sends most sends in an iteration with one synchronization, as the
  // algorithm says. Tests hold the simulation to it.
  virtual Bytes bytes_sent(const JobSpec&, const StrategyOptions&) const = 0;
  // Whether one process of a machine feeds all its devices: it copies their batches one after
  // another before any of them starts.
  virtual bool one_process_feeds_all() const { return false; }
  // Buffers that aggregation keeps on the device with the most of them.
  virtual Bytes buffers(const JobSpec&, const StrategyOptions&) const { return {}; }
  // Share of the optimizer's state, gradients, weights that one device keeps.
  struct Shares {
    double weights = 1;
    double gradients = 1;
    double optimizer_state = 1;
    // In 16-bit training the shares are fp32, and only what is gathered of them is 16-bit.
    bool casts_when_gathered = false;
  };
  virtual Shares shares(const JobSpec&, const StrategyOptions&) const { return {}; }
  // How the framework runs 16-bit training under this mechanism where the user does not say:
  // options of the framework ("mixed": "uniform").
  virtual std::map<std::string, std::string> settings_at_16_bits() const { return {}; }
  // Whether micro-batches that are not the last synchronize by default (sync=every).
  virtual bool synchronizes_every_micro_batch() const { return false; }
  // Share of a measured synchronization (sync_time) that each synchronizing micro-batch pays; the
  // rest follows once, after the last.
  virtual double share_of_each_micro_batch() const { return 1; }
  // Whether gradients are aggregated at all, so that micro-batches can do without.
  virtual bool synchronizes_gradients() const { return true; }
  // Iterations after which what happens repeats: their mean is the answer.
  virtual int cycle(const JobSpec&, const StrategyOptions&) const { return 1; }
  // Whether workers go on without waiting for one another. One is simulated, among the others as
  // it finds them on average (job/crowding.h).
  virtual bool workers_wait_for_nobody() const { return false; }
  // Facts a reader must know: extra machines, staleness.
  virtual std::vector<std::string> remarks(const JobSpec&, const StrategyOptions&) const {
    return {};
  }
};

using StrategyRegistry = Registry<Strategy>;

// Adds every strategy of this folder (generated).
void register_all(StrategyRegistry& registry);
StrategyRegistry strategy_registry();

// Options that every strategy has: sync, sync_time.
std::vector<StrategyOption> common_options(const Strategy& strategy);
// All options of a strategy: its own, then the common ones.
std::vector<StrategyOption> all_options(const Strategy& strategy);

}  // namespace paceline
