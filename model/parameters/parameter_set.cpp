#include "model/parameters/parameter_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_reader.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr std::string_view kParametersSchema = "paceline.parameters/1";
const std::array<std::string, 3> kScaleNames = {"linear", "log", "logit"};

std::vector<std::string> parameter_names(const Fit& fit) {
  std::vector<std::string> names;
  for (const Parameter& parameter : fit.parameters) names.push_back(parameter.name);
  return names;
}

nlohmann::ordered_json to_json(const Parameter& p) {
  return {{"name", p.name},
          {"value", p.value},
          {"std_error", p.std_error},
          {"unit", p.unit},
          {"scale", to_string(p.scale)}};
}

Parameter read_parameter(JsonObject object) {
  Parameter p;
  p.name = object.string("name");
  p.value = object.number("value");
  p.std_error = object.number("std_error");
  p.unit = object.string("unit");
  const std::string scale = object.one_of("scale", kScaleNames);
  p.scale = static_cast<ParameterScale>(std::find(kScaleNames.begin(), kScaleNames.end(), scale) -
                                        kScaleNames.begin());
  object.finish();
  if (p.std_error < 0) object.fail("std_error", "is negative");
  if (p.scale == ParameterScale::kLog && p.value <= 0) {
    object.fail("value", "a parameter on the log scale must be positive");
  }
  if (p.scale == ParameterScale::kLogit && (p.value <= 0 || p.value >= 1)) {
    object.fail("value", "a parameter on the logit scale must lie between 0 and 1");
  }
  return p;
}

nlohmann::ordered_json to_json(const FitQuality& q) {
  return {{"samples", q.samples},
          {"residual_sd", q.residual_sd},
          {"shared_sd", q.shared_sd},
          {"own_sd", q.own_sd},
          {"held_out", q.held_out},
          {"held_out_mape", q.held_out_mape},
          {"held_out_median_ape", q.held_out_median_ape},
          {"held_out_p90_ape", q.held_out_p90_ape},
          {"held_out_bias", q.held_out_bias},
          {"held_out_coverage90", q.held_out_coverage90},
          {"refit_on_all", q.refit_on_all}};
}

double not_negative(JsonObject& object, const char* key) {
  const double value = object.number(key);
  if (value < 0) object.fail(key, "is negative");
  return value;
}

// Standard deviations of ln(time): beyond 5, a factor of 150, a fit knows nothing and its draws
// leave the range of numbers.
double deviation(JsonObject& object, const char* key) {
  constexpr double kLargest = 5;
  const double value = not_negative(object, key);
  if (value > kLargest) {
    object.fail(key, "is " + significant(value, 6) + "; a standard deviation of ln(time) is from " +
                         "0 to " + significant(kLargest, 2));
  }
  return value;
}

FitQuality read_quality(JsonObject object) {
  FitQuality q;
  q.samples = object.count("samples");
  q.residual_sd = deviation(object, "residual_sd");
  q.shared_sd = deviation(object, "shared_sd");
  q.own_sd = deviation(object, "own_sd");
  q.held_out = object.count("held_out");
  q.held_out_mape = not_negative(object, "held_out_mape");
  q.held_out_median_ape = not_negative(object, "held_out_median_ape");
  q.held_out_p90_ape = not_negative(object, "held_out_p90_ape");
  q.held_out_bias = object.number("held_out_bias");
  q.held_out_coverage90 = not_negative(object, "held_out_coverage90");
  q.refit_on_all = object.boolean("refit_on_all");
  object.finish();
  if (q.held_out > q.samples) object.fail("held_out", "is more than samples");
  if (q.held_out_coverage90 > 1) object.fail("held_out_coverage90", "is more than 1");
  return q;
}

// Square, symmetric, with variances on the diagonal that agree with the errors of the parameters.
void check_covariance(const JsonObject& object, const Fit& fit) {
  const std::size_t n = fit.parameters.size();
  if (fit.covariance.empty()) return;
  if (fit.covariance.size() != n * n) {
    object.fail("covariance", "has " + std::to_string(fit.covariance.size()) + " entries; " +
                                  std::to_string(n) + " parameters need " + std::to_string(n * n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (fit.covariance[i * n + i] < 0) {
      object.fail("covariance", "the variance of " + fit.parameters[i].name + " is negative");
    }
    for (std::size_t j = 0; j < i; ++j) {
      const double a = fit.covariance[i * n + j];
      const double b = fit.covariance[j * n + i];
      if (std::abs(a - b) > 1e-6 * (std::abs(a) + std::abs(b))) {
        object.fail("covariance", "is not symmetric in " + fit.parameters[i].name + " and " +
                                      fit.parameters[j].name);
      }
    }
  }
}

std::map<std::string, std::pair<double, double>> read_domain(JsonObject& object, const Fit& fit) {
  std::map<std::string, std::pair<double, double>> domain;
  for (JsonObject& entry : object.objects("domain")) {
    const std::string quantity = entry.string("quantity");
    const double low = entry.number("low");
    const double high = entry.number("high");
    entry.finish();
    if (low > high) entry.fail("low", "is above high");
    if (!domain.try_emplace(quantity, low, high).second) {
      entry.fail("quantity", "a second range of \"" + quantity + "\"");
    }
  }
  if (domain.empty() && fit.quality.samples > 0 && fit.formula.starts_with("cpu.")) {
    object.fail("domain",
                "is empty, but shapes were measured; without their range no prediction "
                "could say whether it extrapolates");
  }
  return domain;
}

nlohmann::ordered_json to_json(const Fit& fit) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const Parameter& p : fit.parameters) parameters.push_back(to_json(p));
  nlohmann::ordered_json domain = nlohmann::ordered_json::array();
  for (const auto& [quantity, range] : fit.domain) {
    domain.push_back({{"quantity", quantity}, {"low", range.first}, {"high", range.second}});
  }
  return {{"implementation", fit.implementation}, {"formula", fit.formula},
          {"parameters", std::move(parameters)},  {"covariance", fit.covariance},
          {"quality", to_json(fit.quality)},      {"domain", std::move(domain)}};
}

Fit read_fit(JsonObject object) {
  Fit fit;
  fit.implementation = object.string("implementation");
  fit.formula = object.string("formula");
  for (JsonObject& p : object.objects("parameters")) {
    fit.parameters.push_back(read_parameter(p));
    for (std::size_t i = 0; i + 1 < fit.parameters.size(); ++i) {
      if (fit.parameters[i].name == fit.parameters.back().name) {
        p.fail("name", "a second parameter \"" + fit.parameters[i].name + "\"");
      }
    }
  }
  fit.covariance = object.numbers("covariance");
  check_covariance(object, fit);
  fit.quality = read_quality(object.object("quality"));
  fit.domain = read_domain(object, fit);
  object.finish();
  return fit;
}

ParameterSet read_set(const JsonDocument& document) {
  JsonObject root = document.root();
  ParameterSet set;
  set.device = root.string("device");
  set.provenance = read_provenance(root.object("provenance"));
  for (JsonObject& source : root.objects("sources")) {
    set.sources.push_back(
        {source.string("file"), source.string("sha256"), source.string("licence")});
    source.finish();
  }
  for (JsonObject& fit : root.objects("fits")) {
    set.fits.push_back(read_fit(fit));
    for (std::size_t i = 0; i + 1 < set.fits.size(); ++i) {
      if (set.fits[i].implementation == set.fits.back().implementation) {
        fit.fail("implementation", "a second fit of \"" + set.fits[i].implementation + "\"");
      }
    }
  }
  set.fitted_shapes = root.strings("fitted_shapes");
  if (root.has("refused")) {
    for (JsonObject& entry : root.objects("refused")) {
      set.refused[entry.string("implementation")] = entry.string("reason");
      entry.finish();
    }
  }
  root.finish();
  return set;
}

}  // namespace

std::string_view to_string(ParameterScale scale) {
  return kScaleNames[static_cast<std::size_t>(scale)];
}

double to_coordinate(ParameterScale scale, double value) {
  if (scale == ParameterScale::kLog) return std::log(value);
  if (scale == ParameterScale::kLogit) return std::log(value / (1 - value));
  return value;
}

double from_coordinate(ParameterScale scale, double coordinate) {
  if (scale == ParameterScale::kLog) return std::exp(coordinate);
  if (scale == ParameterScale::kLogit) return 1 / (1 + std::exp(-coordinate));
  return coordinate;
}

const Parameter& Fit::parameter(const std::string& name) const {
  for (const Parameter& p : parameters) {
    if (p.name == name) return p;
  }
  throw MissingParameter("fit of " + implementation + ": " +
                         unknown_name_message("parameter", name, parameter_names(*this)));
}

double Fit::value(const std::string& name) const { return parameter(name).value; }

const Fit* ParameterSet::find(std::string_view implementation) const {
  const auto it = std::find_if(fits.begin(), fits.end(), [&](const Fit& fit) {
    return fit.implementation == implementation;
  });
  return it == fits.end() ? nullptr : &*it;
}

const Fit& ParameterSet::at(std::string_view implementation) const {
  if (const Fit* fit = find(implementation)) return *fit;
  if (const auto found = refused.find(std::string(implementation)); found != refused.end()) {
    throw MissingParameter("device " + device + " has no parameters for " + found->first +
                           ": it was measured, but its fit was refused (" + found->second +
                           "); add rounds or shapes with: paceline measure --device cpu --rounds 3 "
                           "-o measurements.json, and calibrate again");
  }
  throw MissingParameter("device " + device + " has no parameters for " +
                         std::string(implementation) +
                         "; measure and fit it with: paceline measure --device cpu -o "
                         "measurements.json && paceline calibrate measurements.json -o "
                         "parameters.json");
}

std::string fitted_shape_text(const Kernel& kernel) {
  return kernel.implementation + ": " + to_string(kernel.shape);
}

ParameterSet read_parameters(const std::filesystem::path& file) {
  return read_set(read_json_file(file, kParametersSchema));
}

ParameterSet parse_parameters(std::string_view text, std::string name) {
  return read_set(parse_json(text, std::move(name), kParametersSchema));
}

std::string parameters_text(const ParameterSet& set) {
  nlohmann::ordered_json fits = nlohmann::ordered_json::array();
  for (const Fit& fit : set.fits) fits.push_back(to_json(fit));
  nlohmann::ordered_json sources = nlohmann::ordered_json::array();
  for (const SourceFile& s : set.sources) {
    sources.push_back({{"file", s.file}, {"sha256", s.sha256}, {"licence", s.licence}});
  }
  nlohmann::ordered_json root = {{"schema", kParametersSchema},
                                 {"device", set.device},
                                 {"provenance", to_json(set.provenance)},
                                 {"sources", std::move(sources)},
                                 {"fits", std::move(fits)},
                                 {"fitted_shapes", set.fitted_shapes}};
  if (!set.refused.empty()) {
    nlohmann::ordered_json& refused = root["refused"] = nlohmann::ordered_json::array();
    for (const auto& [implementation, reason] : set.refused) {
      refused.push_back({{"implementation", implementation}, {"reason", reason}});
    }
  }
  return to_json_text(root);
}

void write_parameters(const std::filesystem::path& file, const ParameterSet& set) {
  write_text_file(file, parameters_text(set));
}

}  // namespace paceline
