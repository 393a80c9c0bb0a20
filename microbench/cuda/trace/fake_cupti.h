// A CUPTI with one made-up GPU, linked instead of the real one: what the sampler does with samples
// and with refusals is tested without a GPU.
#pragma once

#include <cupti_result.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace paceline::cuda_trace {

// What the GPU does, and what was asked of it. Reset it before each test.
struct FakeGpu {
  std::string chip = "GH100";
  CUptiResult enable = CUPTI_SUCCESS;  // what switching on answers
  std::int64_t clock_ahead_ns = 0;     // of the samples, against the activity records
  int samples_per_image = 4096;
  int overflow_after = -1;           // samples; -1: never
  std::vector<std::string> missing;  // metrics that the chip lacks
  double value_of_sum = 50e3;        // of each metric, in a sample of 100 us; sample i adds i

  std::atomic<int> given{0};  // samples handed out
  int sessions = 0;           // switched on and not off
  std::uint64_t interval = 0;
  bool by_time = false;
};
FakeGpu& fake_gpu();
void reset_fake_gpu();

}  // namespace paceline::cuda_trace
