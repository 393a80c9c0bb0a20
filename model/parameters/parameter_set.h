// Fitted parameters of one device: the file `paceline calibrate` writes and predictions read
// ("paceline.parameters/1", docs/file-formats.md). One fit per kernel implementation; each names
// its formula, so a file is self-describing, and carries the covariance that prediction intervals
// need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/provenance.h"
#include "model/kernel/kernel.h"

namespace paceline {

// The coordinate in which a parameter is fitted and its error is stated: itself, ln(x) for a
// positive one, ln(x / (1 - x)) for a fraction.
enum class ParameterScale { kLinear, kLog, kLogit };
std::string_view to_string(ParameterScale scale);
double to_coordinate(ParameterScale scale, double value);
double from_coordinate(ParameterScale scale, double coordinate);

struct Parameter {
  std::string name;      // "flop_rate"
  double value = 0;      // in SI units
  double std_error = 0;  // of the coordinate; 0 for a parameter that was given, not fitted
  std::string unit;      // "FLOP/s"; "1" without dimension
  ParameterScale scale = ParameterScale::kLog;
};

// How well a fit does, on what it saw and on what it did not.
struct FitQuality {
  std::int64_t samples = 0;
  double residual_sd = 0;  // of ln(predicted / measured) on the fitted samples
  // The two parts of the residual (docs/models/uncertainty.md): common to a group of similar
  // shapes, and different for every shape.
  double shared_sd = 0;
  double own_sd = 0;
  // Errors on shapes that a first fit did not see. When `refit_on_all`, the parameters come from a
  // second fit on everything; these errors still are those of the first.
  std::int64_t held_out = 0;
  double held_out_mape = 0;
  double held_out_median_ape = 0;
  double held_out_p90_ape = 0;
  double held_out_bias = 0;
  double held_out_coverage90 = 0;  // share of held-out samples inside their 90 % interval
  bool refit_on_all = false;
};

struct Fit {
  std::string implementation;  // "openblas.sgemm"
  std::string formula;         // "cpu.gemm/1", a key of model/cost/formulas.h
  std::vector<Parameter> parameters;
  std::vector<double> covariance;  // row-major, of the coordinates; empty if nothing was fitted
  FitQuality quality;
  // Smallest and largest value seen of each shape quantity ("flops", "bytes", "threads"); outside
  // them a prediction is extrapolated.
  std::map<std::string, std::pair<double, double>> domain;

  const Parameter& parameter(const std::string& name) const;  // throws MissingParameter
  double value(const std::string& name) const;                // throws MissingParameter
};

struct SourceFile {
  std::string file;  // name only
  std::string sha256;
  std::string licence;
};

struct ParameterSet {
  Provenance provenance;
  std::string device;  // name of the device the parameters belong to
  std::vector<Fit> fits;
  std::vector<SourceFile> sources;
  // What the fits have seen (fitted_shape_text), sorted, so that validation can refuse to score it.
  std::vector<std::string> fitted_shapes;
  // What was measured but has no usable fit, with the reason.
  std::map<std::string, std::string> refused{};

  const Fit* find(std::string_view implementation) const;
  // Throws MissingParameter naming the implementation and the command that measures it.
  const Fit& at(std::string_view implementation) const;
};

// "openblas.sgemm: gemm NT 512x1024x256", the identity of a fitted shape.
std::string fitted_shape_text(const Kernel& kernel);

// Strict: throws InputError with the place, what was found and what is allowed.
ParameterSet read_parameters(const std::filesystem::path& file);
ParameterSet parse_parameters(std::string_view text, std::string name);
// Byte-identical for equal sets.
std::string parameters_text(const ParameterSet& set);
void write_parameters(const std::filesystem::path& file, const ParameterSet& set);

}  // namespace paceline
