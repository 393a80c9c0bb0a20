#include "calibration/selection/error_parts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/statistics.h"

namespace paceline {
namespace {

struct Group {
  double sum = 0;
  double count = 0;
};

std::vector<double> without_outliers(std::vector<double> residuals) {
  constexpr double kFarthest = 4;  // robust standard deviations
  const double limit = kFarthest * robust_scale(residuals);
  if (limit > 0) {
    for (double& r : residuals) r = std::clamp(r, -limit, limit);
  }
  return residuals;
}

}  // namespace

double robust_scale(const std::vector<double>& residuals) {
  std::vector<double> sizes;
  for (const double r : residuals) sizes.push_back(std::abs(r));
  return 1.4826 * median(std::move(sizes));
}

ErrorParts split_errors(const std::vector<double>& all_residuals,
                        const std::vector<std::string>& groups) {
  PACELINE_ASSERT(!all_residuals.empty() && all_residuals.size() == groups.size(),
                  "one group each");
  const std::vector<double> residuals = without_outliers(all_residuals);
  std::map<std::string, Group> sums;
  double total = 0;
  double squares = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    sums[groups[i]].sum += residuals[i];
    sums[groups[i]].count += 1;
    total += residuals[i];
    squares += residuals[i] * residuals[i];
  }
  const double n = static_cast<double>(residuals.size());
  const double a = static_cast<double>(sums.size());
  const double mean_square = squares / n;
  // The share of a bias common to all in the assumed split (modelling choice: a half of the
  // standard deviation is shared, so 0.87 of it is not).
  ErrorParts out{0.5 * std::sqrt(mean_square), std::sqrt(0.75 * mean_square), false};
  if (a < 4 || n - a < 8) return out;

  const double grand = total / n;
  double between = 0;
  double explained = 0;
  double size_squares = 0;
  for (const auto& [name, group] : sums) {
    const double mean = group.sum / group.count;
    between += group.count * (mean - grand) * (mean - grand);
    explained += group.count * mean * mean;
    size_squares += group.count * group.count;
  }
  const double within = (squares - explained) / (n - a);
  const double effective_size = (n - size_squares / n) / (a - 1);
  const double group_variance = std::max(0.0, (between / (a - 1) - within) / effective_size);
  // The mean of n residuals is not zero by chance alone; only the excess is a bias.
  const double chance = within / n + group_variance * size_squares / (n * n);
  const double bias2 = std::max(0.0, grand * grand - chance);
  out.shared_sd = std::sqrt(group_variance + bias2);
  out.own_sd = std::sqrt(std::max(0.0, within));
  out.estimated = true;
  return out;
}

}  // namespace paceline
