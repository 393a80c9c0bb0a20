#include "microbench/harness/rounds.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>

#include "core/error.h"
#include "core/statistics.h"
#include "core/units_text.h"
#include "microbench/harness/results.h"
#include "microbench/harness/workspace.h"

namespace paceline {
namespace {

struct Outcome {
  const MeasurementCase* measured = nullptr;
  std::string start;
  Timings samples;
  bool checked = false;
};

void skip(const MeasurementCase& entry, const std::string& reason, MeasurementSet& set) {
  record_skipped(entry.benchmark, entry.axes, reason, set);
}

void record(const Outcome& outcome, double foreign, bool accepted, MeasurementSet& set) {
  Measurement& result = result_of(outcome.measured->benchmark, outcome.measured->axes, set);
  result.skipped = false;
  result.reason.clear();
  result.result_checked = result.result_checked || outcome.checked;
  result.warmup = outcome.samples.warmup;
  result.rounds.push_back(
      {outcome.start, rounded_sample(foreign), accepted, outcome.samples.seconds});
}

Outcome take(const MeasurementCase& entry, bool check, Workspace& workspace,
             const RoundContext& context) {
  context.set_threads(static_cast<int>(integer_axis(entry.axes, "threads", entry.benchmark)));
  const std::unique_ptr<PreparedKernel> kernel = entry.definition->prepare(entry.axes, workspace);
  Outcome outcome{&entry, utc_now(), {}, false};
  if (check) {
    kernel->check();
    outcome.checked = true;
  }
  outcome.samples = take_samples([&] { kernel->run(); }, context.clock, context.limits);
  return outcome;
}

// The libraries under test throw their own exceptions: whatever it is, it is why the result is
// missing.
std::optional<Outcome> take_or_skip(const MeasurementCase& entry, Workspace& workspace,
                                    const RoundContext& context, MeasurementSet& set) {
  const std::string unsupported = entry.definition->unsupported();
  if (!unsupported.empty()) {
    skip(entry, unsupported, set);
    return std::nullopt;
  }
  const Measurement* earlier = set.find(entry.benchmark, entry.axes);
  try {
    return take(entry, earlier == nullptr || !earlier->result_checked, workspace, context);
  } catch (const std::exception& error) {
    skip(entry, error.what(), set);
    return std::nullopt;
  }
}

struct Pass {
  std::size_t taken = 0;
  std::vector<const MeasurementCase*> rejected;
};

Pass take_all(const std::vector<const MeasurementCase*>& cases, Workspace& workspace,
              const RoundContext& context, MeasurementSet& set) {
  Pass pass;
  std::vector<Outcome> window;
  CpuUse window_start = context.cpu_use();
  const auto close_window = [&] {
    const double foreign = foreign_processors(window_start, context.cpu_use());
    const bool accepted = foreign <= context.foreign_limit;
    for (const Outcome& outcome : window) {
      record(outcome, foreign, accepted, set);
      if (!accepted) pass.rejected.push_back(outcome.measured);
    }
    window.clear();
    if (context.on_window) context.on_window();
    window_start = context.cpu_use();
  };
  for (const MeasurementCase* next : cases) {
    if (context.stop && context.stop()) break;
    if (context.on_case) context.on_case(pass.taken, *next);
    if (auto outcome = take_or_skip(*next, workspace, context, set)) {
      window.push_back(std::move(*outcome));
    }
    ++pass.taken;
    if (context.cpu_use().wall - window_start.wall >= context.window) close_window();
  }
  close_window();
  return pass;
}

}  // namespace

std::vector<MeasurementCase> measurement_cases(const std::string& name, const Benchmark& benchmark,
                                               DesignSize size, const std::vector<int>& threads) {
  std::vector<MeasurementCase> cases;
  for (const Axes& axes : benchmark.design(size)) {
    for (const int count : benchmark.threaded() ? threads : std::vector<int>{1}) {
      cases.push_back({name, &benchmark, axes});
      cases.back().axes["threads"] = std::int64_t{count};
    }
  }
  return cases;
}

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 generator(seed);  // fixed by the standard, unlike std::shuffle
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
  return order;
}

std::size_t measure_round(const std::vector<MeasurementCase>& cases, std::uint64_t round_number,
                          Workspace& workspace, const RoundContext& context, MeasurementSet& set) {
  const std::vector<std::size_t> order = shuffled_order(cases.size(), round_number);
  std::vector<const MeasurementCase*> sequence;
  for (const std::size_t index : order) sequence.push_back(&cases[index]);
  const Pass first = take_all(sequence, workspace, context, set);
  if (first.taken == cases.size() && 2 * first.rejected.size() < cases.size()) {
    take_all(first.rejected, workspace, context, set);
  }
  return first.taken;
}

std::vector<std::string> noise_warnings(const MeasurementSet& set) {
  std::size_t rounds = 0, accepted = 0, measured = 0, without = 0;
  std::vector<double> spreads;
  for (const Measurement& result : set.results) {
    if (result.skipped) continue;
    ++measured;
    rounds += result.rounds.size();
    accepted += result.accepted_rounds();
    if (result.accepted_rounds() == 0) ++without;
    if (result.accepted_rounds() > 1) spreads.push_back(result.spread());
  }
  std::vector<std::string> out;
  if (without > 0) {
    out.push_back("other processes used the processors: " + std::to_string(without) + " of " +
                  std::to_string(measured) +
                  " results have no accepted round; measure again on a quiet machine");
  } else if (rounds > 0 && accepted * 10 < rounds * 9) {
    out.push_back(
        "other processes used the processors during " +
        significant(100.0 * static_cast<double>(rounds - accepted) / static_cast<double>(rounds)) +
        " % of the rounds; those are rejected");
  }
  constexpr double kSpreadLimit = 0.15;
  if (!spreads.empty() && median(spreads) > kSpreadLimit) {
    out.push_back("accepted rounds differ by " + significant(100 * median(spreads)) +
                  " % (median over results): the machine changes speed; take more rounds");
  }
  return out;
}

}  // namespace paceline
