// What CUPTI knows of a chip's hardware counters without the chip: which metrics exist, in how many
// passes they can be counted, and what raw samples mean. Needs no GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct CUpti_Profiler_Host_Object;

namespace paceline::cuda_trace {

class ChipMetrics {
 public:
  // Names such as "GH100", oldest first; some cannot be sampled. Throws CuptiError.
  static std::vector<std::string> chips();

  // `availability` is what a device says of its counters; empty without a device. Throws CuptiError
  // if the chip is unknown or cannot be sampled.
  explicit ChipMetrics(std::string chip, std::vector<std::uint8_t> availability = {});
  ~ChipMetrics();
  ChipMetrics(const ChipMetrics&) = delete;
  ChipMetrics& operator=(const ChipMetrics&) = delete;

  // Passes that these need together; 0 if the chip lacks one.
  int passes(const std::vector<std::string>& metrics) const;
  // Programs the counting hardware. Throws CuptiError.
  std::vector<std::uint8_t> configuration(const std::vector<std::string>& metrics) const;
  // Values of the metrics in sample `index` of an image. Throws CuptiError.
  std::vector<double> evaluate(const std::vector<std::string>& metrics,
                               const std::vector<std::uint8_t>& image, std::size_t index) const;

 private:
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  CUpti_Profiler_Host_Object* host_;  // for evaluate
};

// What CUPTI takes for a list of names. Valid while `names` is.
std::vector<const char*> name_pointers(const std::vector<std::string>& names);

}  // namespace paceline::cuda_trace
