#include "microbench/measure.h"

#include <algorithm>

#include "core/error.h"
#include "core/names.h"
#include "microbench/harness/benchmark_selection.h"
#include "microbench/harness/interrupt.h"
#include "microbench/harness/loaded_libraries.h"
#include "microbench/harness/rounds.h"
#include "microbench/harness/workspace.h"
#include "microbench/plugin.h"

namespace paceline {
namespace {

// Enough for the results of the largest kernels that return new tensors.
constexpr Bytes kResidentHeap{5e8};

using Entry = BenchmarkRegistry::Entry;

BenchmarkRegistry registered_benchmarks() {
  BenchmarkRegistry registry;
  cpu_kernel_plugin().register_benchmarks(registry);
  return registry;
}

// The benchmarks that `only` names; each of its words must name at least one.
std::vector<const Entry*> selected(const BenchmarkRegistry& registry,
                                   const std::vector<std::string>& only) {
  for (const std::string& word : only) {
    std::vector<std::string> known;
    bool found = false;
    for (const Entry& entry : registry.entries()) {
      known.push_back(entry.name);
      found = found || selects(word, entry.name);
    }
    if (!found) throw UsageError(unknown_name_message("benchmark", word, known));
  }
  std::vector<const Entry*> out;
  for (const Entry& entry : registry.entries()) {
    const auto wanted = [&](const std::string& word) { return selects(word, entry.name); };
    if (only.empty() || std::any_of(only.begin(), only.end(), wanted)) out.push_back(&entry);
  }
  return out;
}

std::vector<int> thread_counts(const MeasureOptions& options) {
  const int processors = this_host().cores;
  if (options.threads.empty()) {
    return processors > 1 ? std::vector<int>{1, processors} : std::vector<int>{1};
  }
  for (const int count : options.threads) {
    if (count < 1 || count > processors) {
      throw UsageError("threads " + std::to_string(count) + ": expected 1 to " +
                       std::to_string(processors) + ", the processors of this machine");
    }
  }
  return options.threads;
}

std::string difference(const std::map<std::string, std::string>& a,
                       const std::map<std::string, std::string>& b) {
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second != value) return name;
  }
  return a.size() == b.size() ? "" : "another set of libraries";
}

// The set that rounds are added to.
MeasurementSet starting_set(const MeasureOptions& options) {
  MeasurementSet fresh;
  fresh.provenance = make_provenance("paceline measure", options.argv);
  fresh.provenance.libraries = cpu_kernel_plugin().libraries();
  fresh.provenance.environment = kernel_environment();
  if (!options.append || !std::filesystem::exists(options.file)) return fresh;
  MeasurementSet existing = read_measurements(options.file);
  const std::string where = options.file.string() + ": cannot add rounds: ";
  if (existing.provenance.host.cpu != fresh.provenance.host.cpu ||
      existing.provenance.host.cores != fresh.provenance.host.cores) {
    throw InputError(where + "it was measured on another machine (" + existing.provenance.host.cpu +
                     ", " + std::to_string(existing.provenance.host.cores) + " processors)");
  }
  const std::string changed = difference(existing.provenance.libraries, fresh.provenance.libraries);
  if (!changed.empty())
    throw InputError(where + "it was measured with other libraries: " + changed);
  return existing;
}

void write_if_named(const MeasureOptions& options, const MeasurementSet& set) {
  if (!options.file.empty()) write_measurements(options.file, set);
}

std::uint64_t rounds_in(const MeasurementSet& set) {
  std::size_t most = 0;
  for (const Measurement& result : set.results) most = std::max(most, result.rounds.size());
  return most;
}

std::vector<std::string> warnings_of(const MeasurementSet& set, const std::string& incomplete) {
  const auto& libraries = set.provenance.libraries;
  const auto blas = libraries.find("openblas");
  std::vector<std::string> out =
      library_warnings(loaded_libraries(), blas == libraries.end() ? "" : blas->second);
  for (std::string& warning : noise_warnings(set)) out.push_back(std::move(warning));
  if (!incomplete.empty()) out.push_back(incomplete);
  return out;
}

std::vector<MeasurementCase> all_cases(const BenchmarkRegistry& registry,
                                       const MeasureOptions& options) {
  const DesignSize size = options.quick ? DesignSize::kQuick : DesignSize::kFull;
  const std::vector<int> threads = thread_counts(options);
  std::vector<MeasurementCase> cases;
  for (const Entry* entry : selected(registry, options.only)) {
    for (auto& found : measurement_cases(entry->name, *entry->benchmark, size, threads)) {
      cases.push_back(std::move(found));
    }
  }
  return cases;
}

RoundContext real_context(const MeasureOptions& options, const InterruptGuard& interrupt) {
  RoundContext context;
  context.clock = steady_clock();
  context.cpu_use = cpu_use_now;
  context.limits.budget = options.result_budget;
  context.set_threads = cpu_kernel_plugin().set_threads;
  context.stop = [&, clock = context.clock, start = context.clock()] {
    return interrupt.requested() ||
           (options.time_budget && clock() - start >= *options.time_budget);
  };
  return context;
}

// All rounds; returns why they are not complete, empty if they are.
std::string measure_rounds(const std::vector<MeasurementCase>& cases, const MeasureOptions& options,
                           const std::function<void(const MeasureProgress&)>& progress,
                           const InterruptGuard& interrupt, MeasurementSet& set) {
  const Bytes cache = last_level_cache_size();
  const auto allocates = [](const MeasurementCase& c) { return c.definition->allocates(); };
  if (std::any_of(cases.begin(), cases.end(), allocates)) keep_heap_resident(kResidentHeap);
  Workspace workspace(default_region(cache), cache);
  RoundContext context = real_context(options, interrupt);
  context.on_window = [&] { write_if_named(options, set); };
  const std::uint64_t first = rounds_in(set);
  for (int round = 1; round <= options.rounds; ++round) {
    context.on_case = [&](std::size_t done, const MeasurementCase& next) {
      if (!progress) return;
      progress({round, options.rounds, done, cases.size(), next.benchmark, next.axes});
    };
    const std::uint64_t number = first + static_cast<std::uint64_t>(round);
    const std::size_t done = measure_round(cases, number, workspace, context, set);
    if (done == cases.size()) continue;
    return "round " + std::to_string(round) + " of " + std::to_string(options.rounds) +
           " ended after " + std::to_string(done) + " of " + std::to_string(cases.size()) +
           " results: " + (interrupt.requested() ? "interrupted" : "time budget spent");
  }
  return "";
}

}  // namespace

MeasurementSet measure(const MeasureOptions& options,
                       const std::function<void(const MeasureProgress&)>& progress) {
  if (options.rounds < 1) {
    throw UsageError("rounds " + std::to_string(options.rounds) + ": expected at least 1");
  }
  const BenchmarkRegistry registry = registered_benchmarks();
  const std::vector<MeasurementCase> cases = all_cases(registry, options);
  MeasurementSet set = starting_set(options);
  const InterruptGuard interrupt;
  const std::string incomplete = measure_rounds(cases, options, progress, interrupt, set);
  set.warnings = warnings_of(set, incomplete);
  write_if_named(options, set);
  return set;
}

std::vector<BenchmarkInfo> list_benchmarks() {
  const BenchmarkRegistry registry = registered_benchmarks();
  std::vector<BenchmarkInfo> out;
  for (const Entry& entry : registry.entries()) {
    out.push_back({entry.name, entry.summary, entry.benchmark->unsupported(),
                   entry.benchmark->design(DesignSize::kFull).size(),
                   entry.benchmark->design(DesignSize::kQuick).size()});
  }
  return out;
}

std::vector<DesignPoint> measurement_design(bool quick) {
  const BenchmarkRegistry registry = registered_benchmarks();
  std::vector<DesignPoint> out;
  for (const Entry& entry : registry.entries()) {
    for (Axes& axes : entry.benchmark->design(quick ? DesignSize::kQuick : DesignSize::kFull)) {
      out.push_back({entry.name, std::move(axes)});
    }
  }
  return out;
}

}  // namespace paceline
