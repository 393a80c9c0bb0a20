#include "microbench/cuda/trace/counter_choice.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace paceline::cuda_trace {
namespace {

constexpr char kShare[] = ".avg.pct_of_peak_sustained_elapsed";

CounterMetric bytes(const std::string& name, const std::string& metric) {
  return {name, "B/s", metric + ".sum", Scale::kPerSecond};
}

CounterMetric share(const std::string& name, const std::string& metric) {
  return {name, "", metric + kShare, Scale::kPercent};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// A metric of CUPTI's own naming, "unit__counter.rollup[.submetric]". What its value means is read
// from its name.
CounterRequest foreign(const std::string& metric) {
  CounterMetric out{metric, "", metric, Scale::kAsIs};
  if (metric.find(".pct") != std::string::npos) {
    out.scale = Scale::kPercent;
  } else if (metric.ends_with(".per_second")) {
    out.unit = metric.find("bytes") == std::string::npos ? "1/s" : "B/s";
  } else if (metric.ends_with(".sum")) {
    out.unit = metric.find("bytes") == std::string::npos ? "1/s" : "B/s";
    out.scale = Scale::kPerSecond;
  }
  return {metric, {out}};
}

}  // namespace

std::vector<CounterRequest> default_counters() {
  return {{"dram-read",
           {bytes("dram read", "dram__bytes_read"), bytes("dram read", "dram__bytes_op_read")}},
          {"dram-write",
           {bytes("dram write", "dram__bytes_write"), bytes("dram write", "dram__bytes_op_write")}},
          {"sm-active", {share("sm active", "sm__cycles_active")}},
          // The variants of samplers ("realtime") come first. The first Turing chips have none of
          // the tensor cores alone: they issue fp16 arithmetic through the same pipe.
          {"tensor-active",
           {share("tensor active", "sm__pipe_tensor_cycles_active_realtime_v2"),
            share("tensor active", "sm__pipe_tensor_cycles_active_realtime"),
            share("tensor active", "sm__pipe_tensor_cycles_active"),
            share("tensor or fp16 active", "sm__pipe_shared_cycles_active_realtime")}},
          {"l2", {bytes("l2", "lts__t_bytes")}},
          {"pcie-read",
           {bytes("pcie read", "pcie__read_bytes"),
            bytes("pcie read", "PCI.TriageCompute.pcie__read_bytes")}},
          {"pcie-write",
           {bytes("pcie write", "pcie__write_bytes"),
            bytes("pcie write", "PCI.TriageCompute.pcie__write_bytes")}},
          {"nvlink-receive", {bytes("nvlink receive", "nvlrx__bytes")}},
          {"nvlink-transmit", {bytes("nvlink transmit", "nvltx__bytes")}}};
}

std::vector<CounterRequest> parse_counters(std::string_view text) {
  const std::vector<CounterRequest> known = default_counters();
  std::vector<CounterRequest> out;
  const auto add = [&](const CounterRequest& request) {
    const bool is_new = std::none_of(out.begin(), out.end(), [&](const CounterRequest& other) {
      return other.name == request.name;
    });
    if (is_new) out.push_back(request);
  };
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
    const auto found = std::find_if(known.begin(), known.end(), [&](const CounterRequest& request) {
      return request.name == name;
    });
    if (name == "default") {
      for (const CounterRequest& request : known) add(request);
    } else if (found != known.end()) {
      add(*found);
    } else if (name.find("__") != std::string::npos && name.find('.') != std::string::npos) {
      add(foreign(name));
    } else {
      std::string names = "default";
      for (const CounterRequest& request : known) names += ", " + request.name;
      throw std::invalid_argument("PACELINE_TRACE_COUNTERS: \"" + name + "\" is none of " + names +
                                  " or a metric of CUPTI such as lts__t_sectors.sum");
    }
  }
  return out;
}

std::uint64_t parse_period_ns(std::string_view text) {
  struct Unit {
    std::string_view name;
    double ns;
  };
  constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const Unit& known : kUnits) {
    if (error != std::errc() || unit != known.name) continue;
    const double ns = value * known.ns;
    if (ns >= 1e3 && ns <= 1e9) return static_cast<std::uint64_t>(ns + 0.5);
  }
  throw std::invalid_argument("PACELINE_TRACE_COUNTER_PERIOD: \"" + std::string(text) +
                              "\" is no time from 1us to 1s, such as 100us");
}

std::optional<double> scaled_value(Scale scale, double value, std::uint64_t length_ns) {
  if (scale == Scale::kPerSecond) value /= 1e-9 * static_cast<double>(length_ns);
  if (scale == Scale::kPercent) value /= 100;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

CounterChoice choose_counters(const std::vector<CounterRequest>& requests,
                              const PassCounter& passes) {
  CounterChoice out;
  std::vector<std::string> metrics;
  for (const CounterRequest& request : requests) {
    bool exists = false, taken = false;
    for (const CounterMetric& metric : request.alternatives) {
      if (passes({metric.metric}) == 0) continue;
      exists = true;
      metrics.push_back(metric.metric);
      taken = passes(metrics) == 1;
      if (taken) {
        out.chosen.push_back(metric);
        break;
      }
      metrics.pop_back();
    }
    if (taken) continue;
    out.left_out.push_back(request.name + (exists ? ": does not fit one pass with the others"
                                                  : ": the chip has no such counter"));
  }
  return out;
}

}  // namespace paceline::cuda_trace
