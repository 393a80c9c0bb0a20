// Measurements of kernels and links on one machine: the file `paceline measure` writes and
// `paceline calibrate` reads ("paceline.measurements/1", docs/file-formats.md).
//
// Every result keeps its samples by round. A machine drifts between speed states for minutes at a
// time, so the value of a result is the minimum over rounds of the round's median: the state that
// repeats. A result that could not be taken is kept as skipped, with the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/provenance.h"
#include "core/units.h"

namespace paceline {

using AxisValue = std::variant<std::int64_t, double, std::string>;
// What was varied: {"m": 512, "n": 64, "k": 512, "trans_b": "T", "threads": 1}.
using Axes = std::map<std::string, AxisValue>;

// Axes as one line of text, "batch=1 k=512 m=512", for messages.
std::string to_string(const Axes& axes);
// Axis readers; `owner` names the axes in the InputError thrown when the axis is absent or of
// another type.
std::int64_t integer_axis(const Axes& axes, const std::string& axis, const std::string& owner);
double number_axis(const Axes& axes, const std::string& axis, const std::string& owner);
std::string text_axis(const Axes& axes, const std::string& axis, const std::string& owner);

struct MeasurementRound {
  std::string start;       // UTC
  double foreign_cpu = 0;  // processors used by others while this was taken
  bool accepted = true;    // false if foreign_cpu was above the limit
  std::vector<double> samples_s;
  bool operator==(const MeasurementRound&) const = default;
};

struct Measurement {
  std::string benchmark;  // the implementation measured, "openblas.sgemm"
  Axes axes;
  // What was learnt about it besides its time: the algorithm a library chose, its workspace.
  Axes facts;
  bool skipped = false;
  std::string reason;  // of a skipped result
  bool result_checked = false;
  int warmup = 0;
  std::vector<MeasurementRound> rounds;

  // Minimum over accepted rounds of the median sample. Throws Error if nothing was accepted.
  Seconds value() const;
  // (slowest - fastest) / fastest over the medians of accepted rounds; 0 with a single round.
  double spread() const;
  std::size_t accepted_rounds() const;

  // Axis readers; throw InputError naming the benchmark and the axis.
  std::int64_t integer(const std::string& axis) const;
  int count(const std::string& axis) const;  // at least 1
  double number(const std::string& axis) const;
  std::string text(const std::string& axis) const;
  bool operator==(const Measurement&) const = default;
};

struct MeasurementSet {
  Provenance provenance;
  std::vector<Measurement> results;
  // What a reader must know before trusting the numbers: a noisy machine, the wrong BLAS.
  std::vector<std::string> warnings;

  // Null when there is none with this benchmark and exactly these axes.
  Measurement* find(const std::string& benchmark, const Axes& axes);
};

// Throws InputError (file, path, what was found) for anything that is not such a file, including a
// measured result without samples and samples that are not positive.
MeasurementSet read_measurements(const std::filesystem::path& file);
void write_measurements(const std::filesystem::path& file, const MeasurementSet& set);

}  // namespace paceline
