// Which hardware counters to sample: what was asked for, as far as the chip has it and one pass of
// its counting hardware holds it (sampling cannot repeat the run for a second pass).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paceline::cuda_trace {

// What a metric's value in one sample becomes.
enum class Scale {
  kPerSecond,  // a sum over the sample: divided by its length
  kPercent,    // a share in percent: divided by 100
  kAsIs
};

struct CounterMetric {
  std::string name;    // in the trace: "dram read"
  std::string unit;    // "B/s"; empty for a share
  std::string metric;  // CUPTI's: "dram__bytes_read.sum"
  Scale scale = Scale::kAsIs;
};

// One quantity, which chips call by different names: the first that exists is taken.
struct CounterRequest {
  std::string name;  // in PACELINE_TRACE_COUNTERS: "dram-read"
  std::vector<CounterMetric> alternatives;
};

// The quantities of "default", the most important first.
std::vector<CounterRequest> default_counters();

// A list, separated by commas, of "default", names of its quantities ("dram-read") and metrics of
// CUPTI ("lts__t_sectors.sum"). Throws std::invalid_argument with a line that says what is allowed.
std::vector<CounterRequest> parse_counters(std::string_view text);

// "100us", "1 ms": from 1 us to 1 s, in nanoseconds. Throws std::invalid_argument likewise.
std::uint64_t parse_period_ns(std::string_view text);

// The value for the trace of a sample that lasted `length_ns`; none where there is no finite one.
std::optional<double> scaled_value(Scale scale, double value, std::uint64_t length_ns);

// Passes that these metrics need together; 0 if the chip lacks one of them.
using PassCounter = std::function<int(const std::vector<std::string>& metrics)>;

struct CounterChoice {
  std::vector<CounterMetric> chosen;
  std::vector<std::string> left_out;  // "nvlink-receive: the chip has no such counter"
};

// Takes requests in order; one that would need a second pass is left out.
CounterChoice choose_counters(const std::vector<CounterRequest>& requests,
                              const PassCounter& passes);

}  // namespace paceline::cuda_trace
