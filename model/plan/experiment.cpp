#include "model/plan/experiment.h"

#include <nlohmann/json.hpp>

namespace paceline {

nlohmann::ordered_json to_json(const Experiment& experiment) {
  nlohmann::ordered_json out;
  out["model"] = experiment.model;
  out["batch"] = experiment.batch;
  if (experiment.seq) out["seq"] = *experiment.seq;
  out["precision"] = to_string(experiment.precision);
  out["device"] = experiment.device;
  if (experiment.device_given) out["device_given"] = *experiment.device_given;
  if (experiment.threads > 0) out["threads"] = experiment.threads;  // 0: not a CPU
  out["gpus"] = experiment.devices;
  out["gpus_per_node"] = experiment.devices_per_machine.value_or(experiment.devices);
  for (const auto& [key, value] :
       {std::pair("intra", &experiment.intra), std::pair("net", &experiment.net),
        std::pair("cluster", &experiment.cluster), std::pair("topo", &experiment.topo),
        std::pair("calibrate", &experiment.calibrate), std::pair("profile", &experiment.profile)}) {
    if (value->has_value()) out[key] = **value;
  }
  if (experiment.global_batch) out["global_batch"] = experiment.samples_per_iteration();
  out["framework"] = experiment.framework;
  out["strategy"] = experiment.strategy;
  out["optimizer"] = experiment.optimizer;
  out["grad_accum"] = experiment.grad_accumulation;
  out["set"] = nlohmann::ordered_json::object();
  for (const auto& [key, value] : experiment.options) out["set"][key] = value;
  out["seed"] = experiment.seed;
  out["draws"] = experiment.draws;
  return out;
}

}  // namespace paceline
