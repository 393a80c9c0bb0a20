#include "microbench/gpu/gpu_rounds.h"

#include <algorithm>
#include <cmath>

#include "core/names.h"
#include "core/provenance.h"
#include "microbench/harness/benchmark_selection.h"
#include "microbench/harness/results.h"

namespace paceline {
namespace {

bool is_cold(const Axes& axes) {
  const auto cache = axes.find("cache");
  return cache != axes.end() && cache->second == AxisValue(std::string("cold"));
}

void skip(const GpuCase& entry, const std::string& reason, MeasurementSet& set) {
  record_skipped(entry.benchmark, entry.axes, reason, set);
}

// One result under way.
class Taker {
 public:
  Taker(const GpuCase& entry, GpuUnderTest& device, const GpuRunContext& context)
      : entry_(entry), device_(device), context_(context) {}

  // Throws MeasurementError with the reason if it cannot be taken.
  void take(MeasurementSet& set) {
    const GpuInfo info = device_.info();
    const std::string unsupported = entry_.definition->unsupported(info);
    if (!unsupported.empty()) throw MeasurementError(unsupported);
    const GpuCondition before = device_.condition();
    if (before.other_processes > 0) {
      throw MeasurementError("busy: " + std::to_string(before.other_processes) +
                             " other processes compute on this GPU");
    }
    const std::unique_ptr<GpuKernel> kernel = entry_.definition->prepare(entry_.axes, device_);
    kernel->check();
    const std::string start = utc_now();
    Timings timings = sample(*kernel);
    GpuCondition after = device_.condition();
    bool accepted = clocks_agree(before, after);
    if (!accepted) {
      const GpuCondition again = after;
      timings = sample(*kernel);
      after = device_.condition();
      accepted = clocks_agree(again, after);
    }
    if (after.ecc_errors > before.ecc_errors) {
      throw MeasurementError("an uncorrected memory (ECC) error occurred meanwhile");
    }
    record(*kernel, start, timings, accepted, after, set);
  }

 private:
  Timings sample(GpuKernel& kernel) {
    const bool cold = is_cold(entry_.axes);
    const std::function<Seconds(int)> time_calls = [&](int calls) {
      const Seconds own = kernel.time_itself(calls);
      return own > Seconds(0) ? own : device_.time(kernel, calls, cold);
    };
    SamplingLimits limits = context_.limits;
    // Overwriting the cache takes many times as long as the launches that count.
    if (cold) limits.min_sample = 0.25 * limits.min_sample;
    return take_samples(time_calls, context_.clock, limits);
  }

  bool clocks_agree(const GpuCondition& a, const GpuCondition& b) const {
    if (a.sm_clock_hz <= 0 || b.sm_clock_hz <= 0) return true;
    return std::abs(b.sm_clock_hz / a.sm_clock_hz - 1) <= context_.clock_tolerance;
  }

  void record(const GpuKernel& kernel, const std::string& start, const Timings& timings,
              bool accepted, const GpuCondition& condition, MeasurementSet& set) const {
    Measurement& result = result_of(entry_.benchmark, entry_.axes, set);
    result.skipped = false;
    result.reason.clear();
    result.result_checked = true;
    result.warmup = timings.warmup;
    result.facts = kernel.facts();
    if (condition.sm_clock_hz > 0) result.facts["sm_clock_hz"] = condition.sm_clock_hz;
    if (condition.power_w > 0) result.facts["power_w"] = condition.power_w;
    if (condition.temperature_c > 0) result.facts["temperature_c"] = condition.temperature_c;
    if (!condition.throttling.empty()) result.facts["throttling"] = condition.throttling;
    result.facts["stopped_by"] = std::string(to_string(timings.stopped_by));
    result.rounds.push_back({start, 0, accepted, timings.seconds});
  }

  const GpuCase& entry_;
  GpuUnderTest& device_;
  const GpuRunContext& context_;
};

void skip_rest(const std::vector<GpuCase>& cases, std::size_t from, const std::string& reason,
               MeasurementSet& set) {
  for (std::size_t i = from; i < cases.size(); ++i) skip(cases[i], reason, set);
}

}  // namespace

std::vector<GpuCase> plan_gpu_cases(const GpuBenchmarkRegistry& registry, GpuDesign size,
                                    const GpuInfo& gpu, const std::string& device_name,
                                    const std::vector<std::string>& only) {
  std::vector<std::string> known;
  for (const auto& entry : registry.entries()) known.push_back(entry.name);
  for (const std::string& word : only) {
    if (std::none_of(known.begin(), known.end(),
                     [&](const std::string& name) { return selects(word, name); })) {
      throw UsageError(unknown_name_message("benchmark", word, known));
    }
  }
  std::vector<std::vector<GpuCase>> lists;
  std::size_t longest = 0;
  for (const auto& entry : registry.entries()) {
    const auto wanted = [&](const std::string& word) { return selects(word, entry.name); };
    if (!only.empty() && std::none_of(only.begin(), only.end(), wanted)) continue;
    lists.emplace_back();
    for (Axes& axes : entry.benchmark->design(size, gpu)) {
      axes["device"] = device_name;
      lists.back().push_back({entry.name, entry.benchmark.get(), std::move(axes)});
    }
    longest = std::max(longest, lists.back().size());
  }
  std::vector<GpuCase> out;
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (std::vector<GpuCase>& list : lists) {
      if (turn < list.size()) out.push_back(std::move(list[turn]));
    }
  }
  return out;
}

GpuRunOutcome measure_gpu_cases(const std::vector<GpuCase>& cases, GpuUnderTest& device,
                                const GpuRunContext& context, MeasurementSet& set) {
  GpuRunOutcome outcome;
  const Seconds start = context.clock();
  Seconds saved = start;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const GpuCase& entry = cases[i];
    if (context.interrupted()) outcome.ended_early = "interrupted";
    if (context.time_budget && context.clock() - start >= *context.time_budget) {
      outcome.ended_early = "time budget spent";
    }
    if (!outcome.ended_early.empty()) {
      skip_rest(cases, i, "not reached: " + outcome.ended_early, set);
      break;
    }
    if (context.on_case) context.on_case(i, entry);
    const Measurement* earlier = set.find(entry.benchmark, entry.axes);
    if (context.resume && earlier != nullptr && !earlier->rounds.empty()) {
      ++outcome.kept;
      continue;
    }
    try {
      Taker(entry, device, context).take(set);
      ++outcome.measured;
    } catch (const GpuLost& error) {
      outcome.ended_early = error.what();
      skip(entry, error.what(), set);
      skip_rest(cases, i + 1, std::string("not reached: ") + error.what(), set);
      break;
    } catch (const std::exception& error) {
      skip(entry, error.what(), set);
      ++outcome.skipped;
    }
    if (context.save && context.clock() - saved >= context.save_every) {
      context.save();
      saved = context.clock();
    }
  }
  if (context.save) context.save();
  return outcome;
}

std::vector<std::string> gpu_warnings(const MeasurementSet& set, const GpuInfo& gpu) {
  std::size_t measured = 0, not_accepted = 0, without_clock = 0, throttled = 0;
  for (const Measurement& result : set.results) {
    if (result.skipped) continue;
    ++measured;
    if (result.accepted_rounds() == 0) ++not_accepted;
    if (!result.facts.contains("sm_clock_hz")) ++without_clock;
    if (result.facts.contains("throttling")) ++throttled;
  }
  std::vector<std::string> out;
  const auto warn = [&](std::size_t count, const std::string& text) {
    if (count > 0) {
      out.push_back(std::to_string(count) + " of " + std::to_string(measured) + " results " + text);
    }
  };
  warn(not_accepted, "were taken while the clock changed by more than 2 %: they are not accepted");
  warn(without_clock, "have no clock on record, as the management library does not tell it");
  warn(throttled, "were taken while the clock was held down by power or heat");
  if (gpu.is_partition) out.push_back("the GPU is a partition (MIG) of a larger one");
  return out;
}

}  // namespace paceline
