// One round: every case of the design once, in an order shuffled by the round's number, each behind
// the noise gate; results are added to a MeasurementSet. Clock, processor use and kernels are
// injected, so that a round is tested with numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "microbench/benchmark.h"
#include "microbench/harness/noise_gate.h"
#include "microbench/harness/sampler.h"

namespace paceline {

struct MeasurementCase {
  std::string benchmark;
  const Benchmark* definition = nullptr;
  Axes axes;  // with "threads"
};

// Every element of the designs for every thread count.
std::vector<MeasurementCase> measurement_cases(const std::string& name, const Benchmark& benchmark,
                                               DesignSize size, const std::vector<int>& threads);

struct RoundContext {
  Clock clock;
  CpuUseReader cpu_use;
  SamplingLimits limits;
  // A window with more foreign processors than this is recorded as rejected.
  double foreign_limit = 0.1;
  // /proc/stat counts in ticks of 10 ms: a window is at least this long.
  Seconds window{2};
  std::function<void(int)> set_threads;
  std::function<bool()> stop;  // asked before every case
  // Called before every case with its place in the order, and after every window.
  std::function<void(std::size_t, const MeasurementCase&)> on_case;
  std::function<void()> on_window;
};

// Cases that were rejected are taken once more at the end, unless they are half of all or more.
// Returns the number of cases taken, smaller than the design's if `stop` became true.
std::size_t measure_round(const std::vector<MeasurementCase>& cases, std::uint64_t round_number,
                          Workspace& workspace, const RoundContext& context, MeasurementSet& set);

// 0 .. count-1 in an order that depends on `seed` alone, the same on every machine.
std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed);

// What a reader should know about the noise of a set: rejected rounds, spread between rounds.
std::vector<std::string> noise_warnings(const MeasurementSet& set);

}  // namespace paceline
