// Which runs of a recording of several workers a validation set holds, and what each of them is to
// the simulator: recorders have words of their own for what they do. Data of the set's file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json_reader.h"
#include "model/plan/experiment.h"
#include "traces/recording/cluster_recording.h"

namespace paceline {

// Runs of one framework and strategy, as one strategy of the simulator.
struct ClusterRunKind {
  std::string framework;
  std::string strategy;
  std::map<std::string, std::string> with;  // options a run must have, with these values
  std::vector<std::string> without;         // and must not have

  std::string as;                              // strategy of the simulator; empty: of the same name
  std::map<std::string, std::string> options;  // of it, besides those of the run
  std::vector<std::string> ignore;             // options of the run that it does not have
  // Options of the run that are its compressor's: what it costs is measured, by one worker by
  // itself with them and one without.
  std::vector<std::string> compressor;
  // The framework whose kernels share out the time of a worker among its layers, where the recorded
  // one is not modelled on CPUs; empty: the recorded one.
  std::string layers_of;
  // Parameters that the recorded framework's network lacks, by network, as where its LSTM has one
  // bias per gate.
  std::map<std::string, std::int64_t> fewer_parameters;
  std::optional<std::string> intra;  // where the workers are devices of one process
  std::optional<int> cores;          // that the workers share; else those of the host
  std::string excluded;              // why such runs are listed but not counted; empty if they are

  bool holds(const ClusterExperiment& experiment) const;
  // What compressing takes a worker by itself; 0 without a compressor. Throws UsageError if one
  // of the two runs that tell was not recorded.
  Seconds compression_time(const ClusterRecording& recording,
                           const ClusterExperiment& experiment) const;
};

struct ClusterRuns {
  std::vector<std::filesystem::path> recordings;  // of one machine
  std::string links;  // the catalog link that the recorded ones behave as
  std::vector<ClusterRunKind> kinds;
  const ClusterRunKind* kind_of(const ClusterExperiment& experiment) const;
};

// The members "cluster_recordings", whose paths are relative to `root`, "links" and "runs" of a
// set. Throws InputError.
ClusterRuns read_cluster_runs(JsonObject& set, const std::filesystem::path& root);

// A run as the simulator must see it: its computing scaled to `alone`, the time of an iteration of
// one worker by itself, its compressor to `compression` (0: it has none), all processes on the
// `cores` of one host. Throws UsageError if the link has no rate.
Experiment experiment_of(const ClusterExperiment& recorded, const ClusterRunKind& kind,
                         const std::string& links, const std::string& device, Seconds alone,
                         Seconds compression, int cores);

}  // namespace paceline
