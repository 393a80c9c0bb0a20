#include "microbench/gpu/batch_norm_reference.h"

#include <cmath>

namespace paceline {
namespace {

struct ChannelStatistics {
  double mean = 0;
  double inverse_deviation = 0;
};

ChannelStatistics statistics_of(const std::vector<double>& x, double epsilon) {
  const auto count = static_cast<double>(x.size());
  double sum = 0, squares = 0;
  for (const double value : x) sum += value;
  const double mean = sum / count;
  for (const double value : x) squares += (value - mean) * (value - mean);
  return {mean, 1 / std::sqrt(squares / count + epsilon)};
}

}  // namespace

double batch_norm_output(const std::vector<double>& x, std::size_t i, double scale, double shift,
                         double epsilon) {
  const ChannelStatistics s = statistics_of(x, epsilon);
  return scale * (x.at(i) - s.mean) * s.inverse_deviation + shift;
}

double batch_norm_gradient(const std::vector<double>& x, const std::vector<double>& dy,
                           std::size_t i, double scale, double epsilon) {
  const ChannelStatistics s = statistics_of(x, epsilon);
  const auto normalized = [&](std::size_t j) { return (x.at(j) - s.mean) * s.inverse_deviation; };
  double sum = 0, product = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    sum += dy.at(j);
    product += dy[j] * normalized(j);
  }
  const auto count = static_cast<double>(x.size());
  return scale * s.inverse_deviation * (dy.at(i) - sum / count - normalized(i) * product / count);
}

}  // namespace paceline
