#include "microbench/gpu/measure_gpu.h"

#include "microbench/harness/interrupt.h"

namespace paceline {
namespace {

constexpr Seconds kQuickBudget{100};
constexpr Seconds kFullBudget{440};

// Batches of launches long enough for the resolution of events (0.5 us) and for the clock to react.
SamplingLimits limits_of(bool quick) {
  SamplingLimits limits;
  limits.min_samples = 3;
  limits.max_samples = 7;
  limits.min_sample = Seconds(quick ? 4e-3 : 15e-3);
  limits.budget = Seconds(quick ? 0.15 : 0.4);
  limits.relative_half_width = 0.02;
  return limits;
}

MeasurementSet starting_set(const MeasureGpuOptions& options, const GpuInfo& gpu,
                            const std::map<std::string, std::string>& libraries) {
  MeasurementSet fresh;
  fresh.provenance = make_provenance("paceline measure", options.argv);
  fresh.provenance.libraries = libraries;
  fresh.provenance.libraries["gpu"] = gpu.name;
  fresh.provenance.libraries["driver"] = gpu.driver;
  if (!options.resume || !std::filesystem::exists(options.file)) return fresh;
  MeasurementSet existing = read_measurements(options.file);
  for (const auto& [name, value] : fresh.provenance.libraries) {
    const auto other = existing.provenance.libraries.find(name);
    if (other != existing.provenance.libraries.end() && other->second == value) continue;
    throw InputError(options.file.string() +
                     ": cannot be continued: it was measured with another " + name +
                     (other == existing.provenance.libraries.end()
                          ? ""
                          : " (" + other->second + ", now " + value + ")"));
  }
  existing.warnings.clear();
  return existing;
}

}  // namespace

MeasuredGpu measure_gpu(
    const MeasureGpuOptions& options, const GpuPlugin& plugin,
    const std::function<void(std::size_t, std::size_t, const GpuCase&)>& progress) {
  const std::unique_ptr<GpuUnderTest> device = plugin.open(options.index);
  const GpuInfo gpu = device->info();
  GpuBenchmarkRegistry registry;
  plugin.register_benchmarks(registry);
  const GpuDesign size = options.quick ? GpuDesign::kQuick : GpuDesign::kFull;
  const std::vector<GpuCase> cases =
      plan_gpu_cases(registry, size, gpu, options.device_name(gpu.name), options.only);
  MeasuredGpu out;
  out.cases = cases.size();
  out.set = starting_set(options, gpu, plugin.libraries());
  const InterruptGuard interrupt;
  GpuRunContext context;
  context.clock = steady_clock();
  context.limits = limits_of(options.quick);
  context.time_budget = options.time_budget.value_or(options.quick ? kQuickBudget : kFullBudget);
  context.interrupted = [&] { return interrupt.requested(); };
  context.resume = options.resume;
  context.on_case = [&](std::size_t done, const GpuCase& next) {
    if (progress) progress(done, cases.size(), next);
  };
  if (!options.file.empty()) context.save = [&] { write_measurements(options.file, out.set); };
  out.outcome = measure_gpu_cases(cases, *device, context, out.set);
  out.set.warnings = gpu_warnings(out.set, gpu);
  if (!out.outcome.ended_early.empty()) {
    out.set.warnings.push_back("the run ended early: " + out.outcome.ended_early +
                               "; continue it with --append");
  }
  if (context.save) context.save();
  return out;
}

}  // namespace paceline
