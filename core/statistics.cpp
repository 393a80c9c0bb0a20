#include "core/statistics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"

namespace paceline {

double mean(std::span<const double> values) {
  PACELINE_ASSERT(!values.empty(), "a mean needs at least one value");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  const double center = mean(values);
  if (values.size() < 2) return 0;
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double quantile(std::vector<double> values, double p) {
  PACELINE_ASSERT(!values.empty(), "a quantile needs at least one value");
  PACELINE_ASSERT(p >= 0 && p <= 1, "a quantile is between 0 and 1");
  std::sort(values.begin(), values.end());
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double relative_confidence_half_width(std::span<const double> values, double confidence) {
  if (values.size() < 2) return std::numeric_limits<double>::infinity();
  const double n = static_cast<double>(values.size());
  const boost::math::students_t distribution(n - 1);
  const double t = boost::math::quantile(distribution, 0.5 + confidence / 2);
  return t * standard_deviation(values) / std::sqrt(n) / mean(values);
}

double normal_quantile(double p) {
  PACELINE_ASSERT(p > 0 && p < 1, "a probability inside its limits");
  return boost::math::quantile(boost::math::normal(), p);
}

double relative_error(double predicted, double measured) { return predicted / measured - 1; }

double kendall_tau(std::span<const double> a, std::span<const double> b) {
  PACELINE_ASSERT(a.size() == b.size(), "rankings have equal length");
  double concordance = 0;
  double untied_a = 0;
  double untied_b = 0;
  const auto sign = [](double x) { return static_cast<double>((x > 0) - (x < 0)); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      const double order_a = sign(a[i] - a[j]);
      const double order_b = sign(b[i] - b[j]);
      concordance += order_a * order_b;
      untied_a += std::abs(order_a);
      untied_b += std::abs(order_b);
    }
  }
  if (untied_a == 0 || untied_b == 0) return 0;
  return concordance / std::sqrt(untied_a * untied_b);
}

ErrorSummary summarize_errors(std::span<const double> predicted, std::span<const double> measured) {
  PACELINE_ASSERT(predicted.size() == measured.size(), "one prediction per measurement");
  PACELINE_ASSERT(!predicted.empty(), "a set has at least one case");
  std::vector<double> absolute;
  double log_ratio = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    absolute.push_back(std::abs(relative_error(predicted[i], measured[i])));
    log_ratio += std::log(predicted[i] / measured[i]);
  }
  ErrorSummary summary;
  summary.count = predicted.size();
  summary.mape = mean(absolute);
  summary.median_ape = median(absolute);
  summary.p90_ape = quantile(absolute, 0.9);
  summary.max_ape = *std::max_element(absolute.begin(), absolute.end());
  summary.bias = std::exp(log_ratio / static_cast<double>(predicted.size())) - 1;
  summary.kendall_tau = kendall_tau(predicted, measured);
  return summary;
}

}  // namespace paceline
