// Samples hardware counters of one GPU while the program runs, by CUPTI's PM sampling: the chip
// writes its counters to a buffer at a fixed period, which a thread reads. Nothing is run twice and
// no kernel waits for another, so the times of the run are hardly disturbed.
//
// Whatever fails (no permission, another profiler, a chip that cannot) is one line on stderr; the
// trace goes on without the counters.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "microbench/cuda/trace/counter_choice.h"
#include "microbench/cuda/trace/trace_file.h"

namespace paceline::cuda_trace {

struct CounterSettings {
  std::vector<CounterRequest> requests;
  std::uint64_t period_ns = 100'000;
};

class CounterSampler {
 public:
  // Begins at once, in a thread of its own. `file` outlives the sampler.
  CounterSampler(std::uint32_t device, const CounterSettings& settings, TraceFile& file);
  // Ends the sampling and writes what was sampled.
  ~CounterSampler();
  CounterSampler(const CounterSampler&) = delete;
  CounterSampler& operator=(const CounterSampler&) = delete;

 private:
  void run(const CounterSettings& settings) noexcept;
  // Whether it is time to end, at the latest after `milliseconds`.
  bool wait(int milliseconds);

  const std::uint32_t device_;
  TraceFile& file_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace paceline::cuda_trace
