#include "microbench/harness/results.h"

#include <utility>

namespace paceline {

Measurement& result_of(const std::string& benchmark, const Axes& axes, MeasurementSet& set) {
  if (Measurement* existing = set.find(benchmark, axes)) return *existing;
  Measurement fresh;
  fresh.benchmark = benchmark;
  fresh.axes = axes;
  set.results.push_back(std::move(fresh));
  return set.results.back();
}

void record_skipped(const std::string& benchmark, const Axes& axes, const std::string& reason,
                    MeasurementSet& set) {
  Measurement& result = result_of(benchmark, axes, set);
  if (!result.rounds.empty()) return;
  result.skipped = true;
  result.reason = reason;
}

}  // namespace paceline
