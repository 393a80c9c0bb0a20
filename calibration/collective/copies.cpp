#include "calibration/collective/copies.h"

#include <ceres/cost_function.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "calibration/fit/autodiff_residual.h"
#include "calibration/fit/least_squares.h"
#include "calibration/fit/residual_functions.h"
#include "core/json_reader.h"
#include "core/statistics.h"
#include "model/formula/copy_time.h"
#include "traces/import/collective_text.h"

namespace paceline {
namespace {

constexpr double kScatter = 0.05;

// values: base, processor rate, chunk, link rate.
class CopyResiduals : public ResidualFunctions {
 public:
  CopyResiduals(const std::vector<HostCopyPoint>& points, bool pageable)
      : points_(points), pageable_(pageable) {}
  std::size_t count() const override { return points_.size(); }
  ceres::CostFunction* make(std::size_t i, double sigma,
                            const std::vector<FitParameter>& parameters) const override {
    const double bytes = points_[i].bytes.si();
    return make_log_time_residual(
        [bytes, pageable = pageable_](const auto* values) {
          return pageable ? formula::HostCopy::pageable(bytes, values[3], values)
                          : formula::HostCopy::pinned(bytes, values[3], values[0]);
        },
        points_[i].measured.si(), sigma, parameters);
  }

 private:
  std::vector<HostCopyPoint> points_;
  bool pageable_;
};

FitParameter unknown(const char* name, const char* unit, double center, double sd) {
  FitParameter parameter;
  parameter.name = name;
  parameter.unit = unit;
  parameter.center = center;
  parameter.prior_sd = sd;
  return parameter;
}

// Both parameters are medians: of reached / link, and of the measured latencies.
Fit fit_staged(const std::vector<StagedCopyPoint>& points) {
  std::vector<double> logs;
  std::vector<double> latencies;
  for (const StagedCopyPoint& point : points) {
    logs.push_back(std::log(point.reached / point.link));
    if (point.latency.si() > 0) latencies.push_back(point.latency.si());
  }
  if (logs.size() < 2 || latencies.empty()) throw InputError("too few staged copies to fit");
  const double middle = median(logs);
  const double sd = standard_deviation(logs);
  Fit fit;
  fit.implementation = "copy.staged";
  fit.formula = "copy.staged/1";
  const double count = std::sqrt(static_cast<double>(logs.size()));
  fit.parameters = {
      {.name = "efficiency", .value = std::exp(middle), .std_error = sd / count, .unit = "1"},
      {.name = "base", .value = median(latencies), .std_error = 0.1, .unit = "s"}};
  fit.quality.samples = static_cast<std::int64_t>(logs.size());
  fit.quality.residual_sd = fit.quality.own_sd = sd;
  return fit;
}

}  // namespace

CopyData read_copy_benchmarks(const std::string& text, const std::string& name) {
  const JsonDocument document = parse_any_json(text, name);
  const nlohmann::json& root = document.value();
  if (!root.contains("benchmarks")) throw InputError(name + ":/benchmarks: missing");
  CopyData data;
  for (const nlohmann::json& entry : root["benchmarks"]) {
    if (entry.value("error_occurred", false) || entry.value("time_unit", "") != "ns") continue;
    const std::string benchmark = entry.value("name", "");
    const std::size_t size = benchmark.find("log2(N):");
    if (size == std::string::npos) continue;
    int exponent = 0;
    std::from_chars(benchmark.data() + size + 8, benchmark.data() + benchmark.size(), exponent);
    const HostCopyPoint point{Bytes(std::exp2(exponent)),
                              Seconds(entry.at("real_time").get<double>() * 1e-9)};
    if (benchmark.starts_with("CUDA_Memcpy_PinnedToGPU/")) data.pinned.push_back(point);
    if (benchmark.starts_with("CUDA_Memcpy_HostToGPU/")) data.pageable.push_back(point);
  }
  if (data.pinned.empty() || data.pageable.empty()) {
    throw InputError(name + ": no pinned and pageable copies (CUDA_Memcpy_*ToGPU)");
  }
  return data;
}

std::vector<StagedCopyPoint> read_peer_matrix(const std::string& text, const std::string& name,
                                              BytesPerSecond link) {
  std::vector<std::vector<double>> rates;
  std::vector<std::vector<double>> latencies;
  std::vector<std::vector<double>>* open = nullptr;
  for (const TextLine& line : unprefixed_lines(text)) {
    if (line.text.find("Matrix") != std::string::npos) {
      open = line.text.starts_with("Unidirectional P2P=Disabled Bandwidth") ? &rates
             : line.text.starts_with("P2P=Disabled Latency")                ? &latencies
                                                                            : nullptr;
      continue;
    }
    const std::vector<std::string> words = words_of(line.text);
    if (open == nullptr || words.empty() || !is_number(words[0])) continue;
    std::vector<double> row;
    for (std::size_t i = 1; i < words.size(); ++i) {
      row.push_back(number_word(words[i], name, line, "a number"));
    }
    open->push_back(std::move(row));
  }
  if (rates.empty() || rates.size() != latencies.size()) {
    throw InputError(name + ": no matrices of p2pBandwidthLatencyTest with peers disabled");
  }
  std::vector<StagedCopyPoint> points;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (std::size_t j = 0; j < rates[i].size(); ++j) {
      if (i == j) continue;
      points.push_back({BytesPerSecond(rates[i][j] * 1e9), link,
                        Seconds(j < latencies[i].size() ? latencies[i][j] * 1e-6 : 0)});
    }
  }
  return points;
}

Fit fit_host_copies(const std::string& name, const std::vector<HostCopyPoint>& points,
                    bool pageable) {
  std::vector<FitParameter> parameters = {
      unknown("base", "s", 1e-5, 1), unknown("processor_rate", "B/s", 8e9, 1),
      unknown("chunk", "B", 1e6, 2), unknown("link_rate", "B/s", 1e10, 2)};
  if (!pageable) parameters[1].given = parameters[2].given = true;
  const CopyResiduals residuals(points, pageable);
  const LeastSquaresResult solution =
      solve_least_squares(parameters, residuals, std::vector<double>(points.size(), kScatter), {});
  if (!solution.converged) throw InputError(name + ": " + solution.termination);
  Fit fit;
  fit.implementation = name;
  fit.formula = formula::HostCopy::kId;
  const std::size_t kept = pageable ? 3 : 1;  // the link is the machine's
  for (std::size_t k = 0; k < kept; ++k) {
    fit.parameters.push_back({.name = parameters[k].name,
                              .value = solution.values[k],
                              .std_error = std::sqrt(solution.covariance[k * 4 + k]),
                              .unit = parameters[k].unit,
                              .scale = parameters[k].scale});
  }
  fit.quality.samples = static_cast<std::int64_t>(points.size());
  fit.quality.residual_sd = fit.quality.own_sd = standard_deviation(solution.residuals);
  fit.domain["bytes"] = {points.front().bytes.si(), points.back().bytes.si()};
  return fit;
}

ParameterSet fit_copies(const CopyData& data) {
  ParameterSet set;
  set.device = "copies";
  set.fits.push_back(fit_host_copies("copy.pageable", data.pageable, true));
  set.fits.push_back(fit_host_copies("copy.pinned", data.pinned, false));
  set.fits.push_back(fit_staged(data.staged));
  return set;
}

}  // namespace paceline
