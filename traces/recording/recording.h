// Recorded training iterations of a real framework, "paceline.recording/1", as validation/recorders
// write them: what predictions are compared with, and what host costs are fitted to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace paceline {

// What was run; the identity of a run within its recording.
struct RecordedExperiment {
  std::string model;
  std::int64_t batch = 0;
  int threads = 0;
  std::string device;
  std::string framework;
  std::string precision;
  std::optional<std::int64_t> seq;
  // Settings of the framework as predictions name them ("compile" -> "on"); usually none.
  std::map<std::string, std::string> options{};
  bool operator==(const RecordedExperiment&) const = default;
};

// One visit to a case: a warm-up, then timed iterations.
struct RecordedRound {
  std::string start;       // UTC
  double foreign_cpu = 0;  // processors used by others meanwhile
  double page_faults = 0;  // per iteration
  bool accepted = true;
  std::vector<double> samples_s;
  // Medians of the phases; 0 where the framework does not tell them apart.
  Seconds forward;
  Seconds backward;
  Seconds optimizer;
};

struct RecordedRun {
  std::string place;  // "recording.json:/runs/3", for messages
  RecordedExperiment experiment;
  std::int64_t parameters = 0;  // of the network
  std::string reason;           // why it was skipped, or what is doubtful
  std::vector<RecordedRound> rounds;

  // Whether any round was accepted.
  bool measured() const;
  // The accepted round whose median sample is least: the state of the machine that repeats. Throws
  // Error if there is none.
  const RecordedRound& best() const;
  Seconds time() const;   // median sample of best()
  double spread() const;  // (slowest - fastest) / fastest over medians of accepted rounds
};

struct RecordedHost {
  std::string cpu;
  int cores = 0;
};

struct Recording {
  std::string file;    // name without folders
  std::string sha256;  // of the file
  std::string date;
  RecordedHost host;
  std::map<std::string, std::string> libraries;  // "blas_core" -> "Cooperlake"
  std::vector<RecordedRun> runs;
};

// Strict; one run per experiment, at least one. Throws InputError naming file, path, what was found
// and what is allowed.
Recording read_recording(const std::filesystem::path& file);
Recording parse_recording(std::string_view text, std::string name);

}  // namespace paceline
