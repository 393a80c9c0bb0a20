#include "answers/plan/training_time.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr double kMostYears = 1e6;
constexpr double kSecondsPerYear = 365.25 * 86400;

// A time that is no number, or without meaning, names everything that makes it so long.
void check_total(const Estimate& total_s, const Report& report, const Overheads& o) {
  constexpr double kLongest = kMostYears * kSecondsPerYear;
  if (total_s.median <= kLongest && total_s.p95 <= kLongest) return;
  std::string flags = "--samples or --tokens";
  if (o.loader) flags += ", --loader";
  if (o.evaluation) flags += ", --evaluation, --evaluations";
  if (o.checkpoint) flags += ", --checkpoint";
  if (o.machine_mtbf) flags += ", --mtbf";
  const double years = std::max(total_s.median, total_s.p95) / kSecondsPerYear;
  throw UsageError(flags + ": training " + report.experiment.model + " would take " +
                   (std::isfinite(years) ? significant(years) + " years" : "forever") +
                   "; at most 1 million years are allowed");
}

std::int64_t machines_of(const Experiment& e) {
  const std::int64_t size = std::max<std::int64_t>(1, e.devices_per_machine.value_or(e.devices));
  return (e.devices + size - 1) / size;
}

std::optional<Seconds> interval_of(const Overheads& o, double machines) {
  if (!o.checkpoint) return std::nullopt;
  if (o.checkpoint_interval) return o.checkpoint_interval;
  if (!o.machine_mtbf) {
    throw UsageError("--checkpoint needs --checkpoint-interval, or --mtbf to choose it");
  }
  return Seconds(std::sqrt(2 * o.checkpoint->si() * o.machine_mtbf->si() / machines));
}

}  // namespace

Estimate fed_rate(const Report& report, const Overheads& o) {
  Estimate rate = report.throughput_samples_per_s;
  if (!o.loader) return rate;
  const double input = static_cast<double>(machines_of(report.experiment)) * o.loader->si();
  for (double* value : {&rate.median, &rate.p05, &rate.p95}) *value = std::min(*value, input);
  return rate;
}

TrainingTime training_time(const Report& report, double samples, const Overheads& o) {
  const double machines = static_cast<double>(machines_of(report.experiment));
  const Estimate rate = fed_rate(report, o);

  TrainingTime out;
  out.training = Seconds(samples / report.throughput_samples_per_s.median);
  out.waiting_for_input = Seconds(samples / rate.median) - out.training;
  if (o.evaluation) out.evaluation = o.evaluations * *o.evaluation;
  const double busy = samples / rate.median + out.evaluation.si();
  out.checkpoint_interval = interval_of(o, machines);
  const double share =
      out.checkpoint_interval ? o.checkpoint->si() / out.checkpoint_interval->si() : 0;
  out.checkpoints = Seconds(share * busy);
  double lost = 0;
  if (o.machine_mtbf) {
    if (!out.checkpoint_interval) {
      throw UsageError("--mtbf needs --checkpoint: without checkpoints a failure loses everything");
    }
    const double between = o.machine_mtbf->si() / machines;
    lost = (out.checkpoint_interval->si() / 2 + o.restart.si()) / between;
    if (lost >= 1) {
      throw UsageError("--mtbf: " + significant(machines) + " machines fail every " +
                       to_text(Seconds(between)) + ", before a checkpoint and a restart are done");
    }
  }
  const double running = busy * (1 + share);
  out.failures = Seconds(running * lost / (1 - lost));
  const double stretch = (1 + share) / (1 - lost);
  const auto total = [&](double per_second) {
    return (samples / per_second + out.evaluation.si()) * stretch;
  };
  out.total_s = {total(rate.median), total(rate.p95), total(rate.p05)};
  check_total(out.total_s, report, o);
  return out;
}

}  // namespace paceline
