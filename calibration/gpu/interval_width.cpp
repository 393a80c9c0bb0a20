#include "calibration/gpu/interval_width.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "calibration/selection/error_parts.h"
#include "core/statistics.h"

namespace paceline {
namespace {

using Shapes = std::vector<UnseenShape>;
constexpr double kShareInside = 0.9;
const double kZ90 = normal_quantile(0.5 + kShareInside / 2);

double sd_of(const UnseenShape& shape, const IntervalWidth& width) {
  return std::sqrt(width.parameters * width.parameters * shape.parameter_variance +
                   width.shared_sd * width.shared_sd + width.own_sd * width.own_sd);
}

// Smallest value that a share of at least 0.9 of the weight does not exceed.
double weighted_quantile(std::vector<std::pair<double, double>> weighted) {
  std::ranges::sort(weighted);
  double total = 0;
  for (const auto& [value, weight] : weighted) total += weight;
  double below = 0;
  for (const auto& [value, weight] : weighted) {
    below += weight;
    if (below >= kShareInside * total) return value;
  }
  return weighted.back().first;
}

double for_one_more(std::size_t folds) { return std::sqrt(1 + 1 / static_cast<double>(folds)); }

// Median error, variance of the parameters and scatter of one device.
IntervalWidth parts_of_devices(std::span<const Shapes> folds) {
  std::vector<double> unexplained, scatters;
  for (const Shapes& fold : folds) {
    std::vector<double> errors, variances;
    for (const UnseenShape& shape : fold) {
      errors.push_back(shape.log_error);
      variances.push_back(shape.parameter_variance);
    }
    const double typical = median(errors);
    unexplained.push_back(std::max(0.0, typical * typical - median(variances)));
    for (double& error : errors) error -= typical;
    scatters.push_back(robust_scale(errors));
  }
  return {.shared_sd = std::sqrt(mean(unexplained)), .own_sd = median(scatters)};
}

// Whole groups, dealt out in the order of their names.
std::vector<Shapes> folds_of_groups(const Shapes& shapes, std::size_t count) {
  std::map<std::string, Shapes> groups;
  for (const UnseenShape& shape : shapes) groups[shape.group].push_back(shape);
  std::vector<Shapes> out(std::min(count, groups.size()));
  std::size_t next = 0;
  for (const auto& [name, members] : groups) {
    Shapes& fold = out[next++ % out.size()];
    fold.insert(fold.end(), members.begin(), members.end());
  }
  return out;
}

}  // namespace

IntervalWidth width_of_devices(std::span<const Shapes> folds, double least) {
  const IntervalWidth stated = parts_of_devices(folds);
  std::vector<std::pair<double, double>> errors;
  for (const Shapes& fold : folds) {
    for (const UnseenShape& shape : fold) {
      errors.emplace_back(std::abs(shape.log_error) / sd_of(shape, stated),
                          1 / static_cast<double>(fold.size()));
    }
  }
  const double factor =
      std::max(least, weighted_quantile(std::move(errors)) / kZ90 * for_one_more(folds.size()));
  return {factor * stated.shared_sd, factor * stated.own_sd, factor};
}

IntervalWidth width_of_shapes(const Shapes& shapes) {
  std::vector<double> errors;
  std::vector<std::string> groups;
  for (const UnseenShape& shape : shapes) {
    errors.push_back(shape.log_error);
    groups.push_back(shape.group);
  }
  const ErrorParts parts = split_errors(errors, groups);
  const double variance = parts.shared_sd * parts.shared_sd + parts.own_sd * parts.own_sd;
  constexpr std::size_t kEnough = 12;  // a quantile of fewer says little
  if (shapes.size() < kEnough || variance == 0) return {parts.shared_sd, parts.own_sd};
  // What the formula's error must be multiplied by to reach this shape.
  std::vector<std::pair<double, double>> needed;
  for (const UnseenShape& shape : shapes) {
    const double missing = std::pow(shape.log_error / kZ90, 2) - shape.parameter_variance;
    needed.emplace_back(std::sqrt(std::max(0.0, missing) / variance), 1.0);
  }
  const std::size_t folds = folds_of_groups(shapes, shapes.size()).size();
  const double factor = weighted_quantile(std::move(needed)) * for_one_more(folds);
  return {factor * parts.shared_sd, factor * parts.own_sd};
}

void state_sds(std::span<UnseenShape> shapes, const IntervalWidth& width) {
  for (UnseenShape& shape : shapes) shape.sd = sd_of(shape, width);
}

void state_sds_by_others(std::span<Shapes> folds) {
  for (std::size_t i = 0; i < folds.size(); ++i) {
    std::vector<Shapes> others(folds.begin(), folds.end());
    if (folds.size() > 1) others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    state_sds(folds[i], width_of_devices(others));
  }
}

void state_sds_by_other_groups(Shapes& shapes) {
  constexpr std::size_t kFolds = 4;
  std::vector<Shapes> folds = folds_of_groups(shapes, kFolds);
  shapes.clear();
  for (std::size_t i = 0; i < folds.size(); ++i) {
    Shapes others;
    for (std::size_t k = 0; k < folds.size(); ++k) {
      if (k != i || folds.size() == 1) {
        others.insert(others.end(), folds[k].begin(), folds[k].end());
      }
    }
    state_sds(folds[i], width_of_shapes(others));
  }
  for (const Shapes& fold : folds) shapes.insert(shapes.end(), fold.begin(), fold.end());
}

void set_width(Fit& fit, const IntervalWidth& width) {
  fit.quality.shared_sd = width.shared_sd;
  fit.quality.own_sd = width.own_sd;
  for (Parameter& parameter : fit.parameters) parameter.std_error *= width.parameters;
  for (double& value : fit.covariance) value *= width.parameters * width.parameters;
}

}  // namespace paceline
