// Recorded data-parallel training of several workers over links of a known rate,
// "paceline.cluster-recording/1", as validation/recorders/lab writes it: what predictions of
// aggregation strategies are compared with.
#pragma once

#include "traces/recording/recording.h"

namespace paceline {

// The link of each machine to the switch that joins them, full duplex.
struct RecordedNetwork {
  std::string link;            // as the recorder was told, "200 Mb/s@2ms"
  std::optional<double> rate;  // bit/s of one direction; absent: not limited
  Seconds latency;             // from machine to machine
  bool operator==(const RecordedNetwork&) const = default;
};

// The identity of a run: what each worker trains, and how they work together.
struct ClusterExperiment {
  RecordedExperiment worker;
  std::string strategy;  // in the recorder's words
  // As --set would write them: "25", "on", "fp16".
  std::map<std::string, std::string> options;
  int workers = 1;
  int servers = 0;                           // machines of their own
  std::optional<RecordedNetwork> network{};  // absent: nothing is sent between machines
  bool operator==(const ClusterExperiment&) const = default;
};

struct ClusterRun {
  ClusterExperiment experiment;
  RecordedRun worker0;  // its times, with `experiment.worker`
  // Of the round that `worker0.best()` is.
  Seconds communication;                   // after backward; 0 where it is hidden in it
  std::vector<double> worker_medians_s;    // of every worker
  std::vector<std::int64_t> bucket_bytes;  // that the framework made, in the order of sending
};

struct ClusterRecording {
  Recording facts;  // file, hash, date, host, libraries; no runs
  std::vector<ClusterRun> runs;

  // The run of one worker by itself that trains the same, aggregating nothing; null if there is
  // none or it was not measured.
  const ClusterRun* alone(const ClusterExperiment& experiment) const;
  // The same with the strategy and `options` of `experiment`: what it costs a worker that sends
  // nothing.
  const ClusterRun* alone(const ClusterExperiment& experiment,
                          const std::map<std::string, std::string>& options) const;
};

// "pytorch bsp fcn-r batch 64, 2 workers, 1 Gb/s", with options and servers if there are any.
std::string to_string(const ClusterExperiment& experiment);

// Strict; one run per experiment, at least one. Throws InputError naming file, path, what was found
// and what is allowed.
ClusterRecording read_cluster_recording(const std::filesystem::path& file);
ClusterRecording parse_cluster_recording(std::string_view text, const std::string& name);

}  // namespace paceline
