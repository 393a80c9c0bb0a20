#include "simulator/jitter/jitter.h"

#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <thread>

#include "core/error.h"
#include "simulator/engine/engine.h"

namespace paceline {
namespace {

// Steele, Lea and Flood 2014: a counter mixed by multiplications; the same on every machine.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }
  // In (0, 1).
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  // Box and Muller 1958.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

// Standard deviation of the logarithm of a log-normal number with this coefficient of variation.
double log_deviation(double cv) { return std::sqrt(std::log1p(cv * cv)); }

// Log-normal, mean 1.
double factor(SplitMix& random, double sigma) {
  return std::exp(sigma * random.normal() - 0.5 * sigma * sigma);
}

void check(const Jitter& jitter) {
  PACELINE_ASSERT(jitter.task_cv >= 0 && jitter.device_cv >= 0 && std::isfinite(jitter.task_cv) &&
                      std::isfinite(jitter.device_cv),
                  "a coefficient of variation is finite and not negative");
  PACELINE_ASSERT(jitter.spike_probability >= 0 && jitter.spike_probability <= 1,
                  "a probability lies between 0 and 1");
  PACELINE_ASSERT(jitter.spike_factor >= 1 && std::isfinite(jitter.spike_factor),
                  "a pause does not shorten a task");
}

double cumulative_normal(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi); }

// Mean of value(x) for the largest x of n standard normal numbers: Simpson's rule over the range in
// which all but 1e-15 of the probability lies.
double mean_over_maximum(std::int64_t n, const std::function<double(double)>& value) {
  PACELINE_ASSERT(n >= 1, "a maximum is taken over at least one number");
  constexpr int kIntervals = 4000;
  constexpr double kLow = -9;
  constexpr double kHigh = 12;
  const double step = (kHigh - kLow) / kIntervals;
  // Below some value all n are together with no probability that a double would show.
  constexpr double kNothing = -60;  // ln
  int first = 0;
  for (int last = kIntervals; first < last;) {
    const int middle = (first + last) / 2;
    const double all_below =
        static_cast<double>(n - 1) * std::log(cumulative_normal(kLow + middle * step));
    if (all_below < kNothing) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  double sum = 0;
  for (int i = first; i <= kIntervals; ++i) {
    const double x = kLow + i * step;
    const double weight = i == 0 || i == kIntervals ? 1 : (i % 2 == 1 ? 4 : 2);
    const double count = static_cast<double>(n);
    const double density = count * normal_density(x) * std::pow(cumulative_normal(x), count - 1);
    sum += weight * value(x) * density;
  }
  return sum * step / 3;
}

}  // namespace

TaskGraph with_jitter(const TaskGraph& graph, const Jitter& jitter, std::uint64_t seed) {
  check(jitter);
  const double task_sigma = log_deviation(jitter.task_cv);
  const double device_sigma = log_deviation(jitter.device_cv);
  std::map<std::int32_t, double> devices;
  SplitMix random(seed);
  return graph.scaled([&](TaskId task) {
    const Label& label = graph.label(task);
    const auto [device, is_new] = devices.try_emplace(label.rank, 1.0);
    if (is_new) {
      // A stream of its own, so that a rank's factor does not depend on the tasks before.
      SplitMix of_rank(seed ^ SplitMix(static_cast<std::uint32_t>(label.rank)).next());
      device->second = factor(of_rank, device_sigma);
    }
    double scale = device->second * factor(random, task_sigma);
    const bool pauses = random.uniform() < jitter.spike_probability;
    if (pauses && label.kind == TaskKind::kHost) scale *= jitter.spike_factor;
    return scale;
  });
}

std::vector<SimTime> jittered_makespans(const TaskGraph& graph, const Platform& platform,
                                        const Jitter& jitter, std::uint64_t seed, int draws,
                                        int threads) {
  PACELINE_ASSERT(draws > 0 && threads > 0, "at least one draw and one thread");
  check(jitter);
  std::vector<SimTime> makespans(static_cast<std::size_t>(draws));
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < makespans.size(); i = next++) {
      const std::uint64_t own_seed = SplitMix(seed + i * 0xd1342543de82ef95u).next();
      makespans[i] = schedule(with_jitter(graph, jitter, own_seed), platform).makespan;
    }
  };
  std::vector<std::jthread> workers;
  for (int t = 1; t < threads; ++t) workers.emplace_back(work);
  work();
  workers.clear();
  return makespans;
}

double mean_of_maximum_normal(std::int64_t n) {
  return mean_over_maximum(n, [](double x) { return x; });
}

double straggler_factor(std::int64_t n, double cv) {
  PACELINE_ASSERT(cv >= 0 && std::isfinite(cv), "a coefficient of variation is not negative");
  const double sigma = log_deviation(cv);
  return mean_over_maximum(n, [&](double x) { return std::exp(sigma * x - 0.5 * sigma * sigma); });
}

}  // namespace paceline
