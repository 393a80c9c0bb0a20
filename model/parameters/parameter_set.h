// Fitted parameters of one device: the file `paceline calibrate` writes and predictions read
// ("paceline.parameters/1", docs/file-formats.md). One fit per kernel implementation; each names
// its formula, so a file is self-describing, and carries the covariance that prediction intervals
// need.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/provenance.h"

namespace paceline {

struct Parameter {
  std::string name;      // "peak_per_core"
  double value = 0;      // in SI units
  double std_error = 0;  // of ln(value) for positive parameters (log_scale), else of the value
  std::string unit;      // "FLOP/s"
  bool log_scale = true;
};

// How well a fit does, on what it saw and on what it did not.
struct FitQuality {
  std::int64_t samples = 0;
  double residual_sd = 0;  // of ln(predicted / measured) on the fitted samples
  std::int64_t held_out = 0;
  double held_out_mape = 0;
  double held_out_median_ape = 0;
  double held_out_p90_ape = 0;
};

struct Fit {
  std::string implementation;  // "openblas.sgemm"
  std::string formula;         // "cpu.gemm/1", a key of model/cost/formulas.h
  std::vector<Parameter> parameters;
  std::vector<double> covariance;  // row-major, of the (log) parameters
  FitQuality quality;
  // Smallest and largest value seen of each shape quantity ("flops", "bytes", "threads"); outside
  // them a prediction is extrapolated.
  std::map<std::string, std::pair<double, double>> domain;

  double value(const std::string& parameter) const;  // throws MissingParameter
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
  // Canonical texts of all shapes the fit has seen, so that validation can refuse to score them.
  std::vector<std::string> fitted_shapes;

  const Fit* find(const std::string& implementation) const;
  // Throws MissingParameter naming the implementation and the command that measures it.
  const Fit& at(const std::string& implementation) const;
};

ParameterSet read_parameters(const std::filesystem::path& file);
void write_parameters(const std::filesystem::path& file, const ParameterSet& set);

}  // namespace paceline
