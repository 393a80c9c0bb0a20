// A validation set: recorded training runs, the parameters that must predict them, and how far off
// they may be ("paceline.validation-set/1", one file per set in validation/sets).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "simulator/device/training_device.h"
#include "traces/recording/recording.h"
#include "validation/harness/cluster_runs.h"
#include "validation/harness/published_case.h"

namespace paceline {

// Limits above which `paceline validate` fails; absent ones are not checked.
struct Thresholds {
  std::optional<double> mape{};
  std::optional<double> median_ape{};
  std::optional<double> p90_ape{};
  std::optional<double> max_ape{};
  std::optional<double> kendall_tau{};  // fails below
  std::optional<double> coverage90{};   // fails below
  bool better_than_nulls = false;       // fails if the MAPE of a null model is as small
};

// Figures of others, in place of a recording of our own.
struct PublishedFigures {
  std::string source;  // repository, commit, file, licence; set-up that an experiment cannot say
  std::vector<PublishedCase> cases;
  // The order is scored among cases that agree in these fields; empty: among all.
  std::vector<std::string> rank_within;
  // Measurements closer than this share have no order; absent: every pair counts, and groups are
  // not listed.
  std::optional<double> rank_tie{};
};

struct ValidationSet {
  std::string name;
  std::string summary;
  std::string regime;  // "1 CPU thread"
  std::filesystem::path recording;
  std::filesystem::path parameters;
  std::optional<int> threads;                   // only runs of this many threads; absent: all
  std::optional<PublishedFigures> published{};  // then there is no recording and no parameters
  std::optional<ClusterRuns> cluster{};         // then the recordings are of several workers
  Thresholds thresholds;
  std::vector<std::string> remarks{};  // what misses and why, for the accuracy document
};

// Paths in the file are relative to `root`. Strict; throws InputError.
ValidationSet read_validation_set(const std::filesystem::path& file,
                                  const std::filesystem::path& root);

// Every shipped set, sorted by name; with `only`, those named, in that order. Throws UsageError
// with the nearest names for a set that does not exist.
std::vector<ValidationSet> shipped_validation_sets(const std::vector<std::string>& only);

// One set per thread count of a recording, predicted with the given parameters.
std::vector<ValidationSet> sets_of_recording(const std::filesystem::path& recording,
                                             const std::filesystem::path& parameters,
                                             const Thresholds& thresholds);

}  // namespace paceline
