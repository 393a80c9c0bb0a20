// Summary statistics of samples and of prediction errors. All functions throw Error (internal) on
// empty input unless they say otherwise.
#pragma once

#include <span>
#include <vector>

namespace paceline {

double mean(std::span<const double> values);
// Sample standard deviation (n - 1); 0 for a single value.
double standard_deviation(std::span<const double> values);
// Linear interpolation between order statistics (type 7 of Hyndman and Fan 1996); p in [0, 1].
double quantile(std::vector<double> values, double p);
double median(std::vector<double> values);

// Half width of the two-sided confidence interval of the mean at `confidence`, by Student's t,
// relative to the mean. Infinite for fewer than two samples.
double relative_confidence_half_width(std::span<const double> values, double confidence = 0.95);

// Quantile of the standard normal distribution; p in (0, 1).
double normal_quantile(double p);

// predicted / measured - 1.
double relative_error(double predicted, double measured);

// Kendall's tau-b between two rankings of equal length: 1 the same order, -1 reversed; ties are
// corrected for. 0 when fewer than two pairs or all tied (Kendall 1945).
double kendall_tau(std::span<const double> a, std::span<const double> b);

// How far predictions were from measurements over one set.
struct ErrorSummary {
  std::size_t count = 0;
  double mape = 0;        // mean |error|
  double median_ape = 0;  // median |error|
  double p90_ape = 0;
  double max_ape = 0;
  double bias = 0;  // exp(mean ln(predicted / measured)) - 1
  double kendall_tau = 0;
};
ErrorSummary summarize_errors(std::span<const double> predicted, std::span<const double> measured);

}  // namespace paceline
