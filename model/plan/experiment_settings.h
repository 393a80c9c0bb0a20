// Every setting of an experiment by its name, once for all that list them.
#pragma once

#include "model/plan/experiment.h"

namespace paceline {

// Calls visit(name, value) in the order of a report's "config": names are the flags' with "_" for
// "-", values are texts and whole numbers. Settings that were not given are left out; "set" is the
// map of options.
template <typename Visit>
void for_each_setting(const Experiment& e, const Visit& visit) {
  visit("model", e.model);
  visit("batch", e.batch);
  if (e.seq) visit("seq", *e.seq);
  visit("precision", to_string(e.precision));
  visit("device", e.device);
  if (e.device_given) visit("device_given", *e.device_given);
  if (e.threads > 0) visit("threads", e.threads);  // 0: not a CPU
  visit("gpus", e.devices);
  visit("gpus_per_node", e.devices_per_machine.value_or(e.devices));
  if (e.intra) visit("intra", *e.intra);
  if (e.net) visit("net", *e.net);
  if (e.cluster) visit("cluster", *e.cluster);
  if (e.topo) visit("topo", *e.topo);
  if (e.calibrate) visit("calibrate", *e.calibrate);
  if (e.profile) visit("profile", *e.profile);
  if (e.global_batch) visit("global_batch", e.samples_per_iteration());
  visit("framework", e.framework);
  visit("strategy", e.strategy);
  visit("optimizer", e.optimizer);
  visit("grad_accum", e.grad_accumulation);
  visit("set", e.options);
  visit("seed", e.seed);
  visit("draws", e.draws);
}

}  // namespace paceline
