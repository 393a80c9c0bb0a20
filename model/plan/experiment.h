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
  // Catalog name, "cpu", or the file of a device or of its parameters. Of a resolved experiment the
  // name of the device, and in `device_given` what said which it is where that was no name.
  std::string device;
  std::optional<std::string> device_given{};
  int threads = 1;  // of one device, when it is a CPU
  std::int64_t devices = 1;
  std::optional<std::int64_t> devices_per_machine;  // absent: all of them in one machine
  // The machine: links by name or quantity, or a whole one by name, file or topology matrix.
  std::optional<std::string> intra;
  std::optional<std::string> net;
  std::optional<std::string> cluster;
  std::optional<std::string> topo;
  // `batch` was given for all devices and micro-batches together (strong scaling).
  bool global_batch = false;
  // A measured rate ("253.1 samples/s") or iteration time ("0.221 s") of one device, at this batch
  // or, with `global_batch`, at that of all devices together: computing is scaled to it.
  std::optional<std::string> calibrate;
  std::optional<std::string> profile;  // file of measured layer times
  std::string framework = "pytorch";
  // How gradients are aggregated; empty: as the framework does it, none on one device.
  std::string strategy;
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
