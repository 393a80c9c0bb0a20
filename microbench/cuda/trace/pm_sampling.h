// One session of CUPTI's PM sampling on one GPU: switched on when made, off when destroyed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "microbench/cuda/trace/chip_metrics.h"

struct CUpti_PmSampling_Object;

namespace paceline::cuda_trace {

struct CounterSample {
  std::uint64_t start_ns = 0, end_ns = 0;  // by a clock of the GPU
  std::vector<double> values;              // of each metric
};

class PmSampling {
 public:
  // Throws CuptiError where sampling is not permitted, not supported, or already in use.
  PmSampling(std::uint32_t device, const ChipMetrics& chip, const std::string& chip_name,
             std::vector<std::string> metrics, std::uint64_t period_ns);
  ~PmSampling();
  PmSampling(const PmSampling&) = delete;
  PmSampling& operator=(const PmSampling&) = delete;

  void start();
  void stop();
  // What was sampled since the last call. Throws CuptiError.
  std::vector<CounterSample> read();
  // Whether samples were lost because reading did not keep up.
  bool lost() const { return lost_; }

 private:
  void configure(const std::string& chip_name, std::uint64_t period_ns);
  void make_image();
  void clear_image();
  // Whether there is more to read.
  bool read_image(std::vector<CounterSample>& out);

  std::uint32_t device_;
  const ChipMetrics& chip_;
  std::vector<std::string> metrics_;
  CUpti_PmSampling_Object* session_ = nullptr;
  std::vector<std::uint8_t> image_;
  bool lost_ = false;
};

// "GH100". Throws CuptiError.
std::string chip_name(std::uint32_t device);
// Which counters the device lets be read, for ChipMetrics. Throws CuptiError.
std::vector<std::uint8_t> counter_availability(std::uint32_t device);

}  // namespace paceline::cuda_trace
