// What is to be predicted, with every default spelled out: one point of a sweep. Made from flags or
// a validation case; a report repeats it, so that a number can always be made again.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "model/kernel/kernel.h"

namespace paceline {

struct Experiment {
  std::string model;                // catalog name or file
  std::int64_t batch = 0;           // samples of one micro-batch on one device
  std::optional<std::int64_t> seq;  // for workloads that have a sequence
  Precision precision = Precision::kFp32;
  std::string device;  // catalog name, "cpu", or parameter file
  int threads = 1;     // of one device, when it is a CPU
  std::int64_t devices = 1;
  std::int64_t devices_per_machine = 1;
  std::string framework = "pytorch";
  std::string strategy = "none";
  std::string optimizer = "sgd";  // plain, without momentum
  std::int64_t grad_accumulation = 1;
  std::map<std::string, std::string> options;  // --set KEY=VALUE
  std::uint64_t seed = 1;
  int draws = 1000;

  // Samples that all devices process in one iteration.
  std::int64_t samples_per_iteration() const { return batch * grad_accumulation * devices; }
};

// The "config" of a report; keys are the flags' names with "_" for "-".
nlohmann::ordered_json to_json(const Experiment& experiment);

}  // namespace paceline
