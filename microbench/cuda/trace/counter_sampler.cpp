#include "microbench/cuda/trace/counter_sampler.h"

#include <cupti.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "microbench/cuda/trace/chip_metrics.h"
#include "microbench/cuda/trace/cupti_error.h"
#include "microbench/cuda/trace/pm_sampling.h"
#include "microbench/cuda/trace/sample_clock.h"

namespace paceline::cuda_trace {
namespace {

constexpr int kReadEveryMs = 10;
constexpr std::int64_t kWorthALineNs = 2'000'000;

// The clock of activity records.
std::uint64_t host_ns() {
  std::uint64_t out = 0;
  check(cuptiGetTimestamp(&out), "clock of the trace");
  return out;
}

// Samples as counters of the trace. The first ones wait until it is known how the two clocks
// relate.
class CounterWriter {
 public:
  CounterWriter(std::uint32_t device, std::vector<CounterMetric> metrics, std::uint64_t started_ns,
                TraceFile& file)
      : device_(device), metrics_(std::move(metrics)), clock_(started_ns), file_(file) {
    last_.resize(metrics_.size());
  }

  void add(std::vector<CounterSample> samples) {
    if (samples.empty()) return;
    clock_.seen(samples.front().start_ns, samples.back().end_ns, host_ns());
    for (CounterSample& sample : samples) waiting_.push_back(std::move(sample));
    if (clock_.settled()) flush();
  }

  void flush() {
    if (!offset_ns_) {
      offset_ns_ = clock_.offset_ns();
      if (clock_.uncertainty_ns() > kWorthALineNs) {
        report("counters of GPU " + std::to_string(device_) + " are placed to within " +
               std::to_string(clock_.uncertainty_ns() / 1'000'000) + " ms");
      }
    }
    for (const CounterSample& sample : waiting_) write(sample);
    waiting_.clear();
  }

 private:
  // A counter holds until its next value, so what did not change is not repeated.
  void write(const CounterSample& sample) {
    const std::int64_t at = static_cast<std::int64_t>(sample.start_ns) + *offset_ns_;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      const std::optional<double> value =
          scaled_value(metrics_[i].scale, sample.values[i], sample.end_ns - sample.start_ns);
      if (!value || value == last_[i]) continue;
      last_[i] = value;
      const std::string& unit = metrics_[i].unit;
      file_.add_counter(device_, metrics_[i].name + (unit.empty() ? "" : " (" + unit + ")"), at,
                        *value);
    }
  }

  std::uint32_t device_;
  std::vector<CounterMetric> metrics_;
  SampleClock clock_;
  TraceFile& file_;
  std::vector<CounterSample> waiting_;
  std::optional<std::int64_t> offset_ns_;
  std::vector<std::optional<double>> last_;
};

CounterChoice choose(const ChipMetrics& chip, const std::string& name,
                     const CounterSettings& settings) {
  CounterChoice choice =
      choose_counters(settings.requests, [&](const auto& metrics) { return chip.passes(metrics); });
  std::string line;
  for (const std::string& left_out : choice.left_out) line += (line.empty() ? "" : "; ") + left_out;
  if (!line.empty()) report(name + " does not sample " + line);
  return choice;
}

}  // namespace

CounterSampler::CounterSampler(std::uint32_t device, const CounterSettings& settings,
                               TraceFile& file)
    : device_(device), file_(file), thread_([this, settings] { run(settings); }) {}

CounterSampler::~CounterSampler() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

bool CounterSampler::wait(int milliseconds) {
  std::unique_lock lock(mutex_);
  ending_.wait_for(lock, std::chrono::milliseconds(milliseconds), [this] { return end_; });
  return end_;
}

void CounterSampler::run(const CounterSettings& settings) noexcept {
  std::optional<CounterWriter> writer;
  try {
    const std::string name = chip_name(device_);
    const ChipMetrics chip(name, counter_availability(device_));
    const CounterChoice choice = choose(chip, name, settings);
    if (choice.chosen.empty()) return;
    std::vector<std::string> metrics;
    for (const CounterMetric& metric : choice.chosen) metrics.push_back(metric.metric);
    PmSampling sampling(device_, chip, name, metrics, settings.period_ns);
    writer.emplace(device_, choice.chosen, host_ns(), file_);
    sampling.start();
    bool ending = false;
    while (!ending) {
      ending = wait(kReadEveryMs);
      if (ending) sampling.stop();
      writer->add(sampling.read());
      if (!sampling.lost()) continue;
      throw std::runtime_error(
          "samples were lost; a longer PACELINE_TRACE_COUNTER_PERIOD lets reading keep up");
    }
  } catch (const std::exception& error) {
    report("no counters of GPU " + std::to_string(device_) + (writer ? " from here on: " : ": ") +
           error.what());
  }
  if (writer) writer->flush();
}

}  // namespace paceline::cuda_trace
