// From the time of an iteration to the time of a training: samples, and what else takes time.
//
// The compute part is samples / throughput. Input slower than the devices limits the throughput.
// Evaluation and checkpoints stop the job while they last. Failures: with one failure every M / n
// (M the mean time between failures of one machine, n machines) and a checkpoint every tau, half of
// tau and the restart are lost each time (Young, CACM 17(9), 1974; Daly, FGCS 22(3), 2006); if tau
// is not given it is Young's optimum sqrt(2 c M / n) for a checkpoint that takes c.
#pragma once

#include <optional>

#include "core/units.h"
#include "model/plan/report.h"

namespace paceline {

// All optional: what is absent costs nothing and is said to be left out.
struct Overheads {
  std::optional<SamplesPerSecond> loader;  // of one machine's input pipeline
  std::optional<Seconds> evaluation;       // each
  double evaluations = 0;                  // during the training
  std::optional<Seconds> checkpoint;       // each
  std::optional<Seconds> checkpoint_interval;
  std::optional<Seconds> machine_mtbf;
  Seconds restart;
};

struct TrainingTime {
  Estimate total_s;
  // Parts of the median; they add up to it.
  Seconds training;
  Seconds waiting_for_input;
  Seconds evaluation;
  Seconds checkpoints;
  Seconds failures;
  // Between checkpoints, if there are any.
  std::optional<Seconds> checkpoint_interval;
};

// Samples per second with the input: no more than the loaders of all machines deliver.
Estimate fed_rate(const Report& report, const Overheads& overheads);

// Throws UsageError where failures take as long as the work between them, and for more than a
// million years.
TrainingTime training_time(const Report& report, double samples, const Overheads& overheads);

}  // namespace paceline
