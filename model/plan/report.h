// The answer to one experiment: every key of `paceline.report/1` (docs/file-formats.md). Predicted
// quantities carry an interval, an origin and the reason for their size.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "model/plan/error_shares.h"
#include "model/plan/experiment.h"
#include "model/plan/input_file.h"
#include "model/plan/memory_use.h"

namespace paceline {

// The prediction with central parameters, and the 5 % and 95 % quantiles of its draws.
struct Estimate {
  double median = 0;
  double p05 = 0;
  double p95 = 0;
};

// One thing that is not known about a job: what ln(iteration time) would be below and above the
// prediction at its 5 % and 95 % quantiles, all else as predicted. The interval is the root of the
// sum of squares on either side.
struct IntervalPart {
  std::string what;
  std::string source;
  double low = 0;   // not negative
  double high = 0;  // not negative
};

// Where the iteration goes; the parts add up to it. Forward, backward and optimizer count kernels;
// `host` is time of the issuing thread that no kernel hides.
struct Breakdown {
  Seconds forward;
  Seconds backward;
  Seconds optimizer;
  Seconds exposed_communication;
  Seconds host;
  Seconds input;
  Seconds bubble;
  Seconds total() const {
    return forward + backward + optimizer + exposed_communication + host + input + bubble;
  }
};

// Wall time of each phase, host included: what a stopwatch around it shows.
struct PhaseTimes {
  Seconds forward;
  Seconds backward;
  Seconds optimizer;
};

struct Bottleneck {
  std::string resource;
  double share = 0;  // of the iteration
  std::string text;
};

// One collective call.
struct Message {
  std::int64_t bytes = 0;
  Seconds start;
  Seconds end;
};

struct Communication {
  std::int64_t bytes_per_device = 0;  // sent by one device in one iteration
  Seconds total;
  Seconds exposed;
  Seconds slowed;                 // how much longer kernels take beside collectives
  std::vector<Message> messages;  // in issue order
};

struct Report {
  Experiment experiment;
  Estimate iteration_time_s;
  Estimate throughput_samples_per_s;
  std::optional<Estimate> throughput_tokens_per_s;
  double scaling_efficiency = 1;
  Breakdown breakdown;
  PhaseTimes phases;
  Bottleneck bottleneck;
  Communication communication;
  MemoryUse memory;
  // The largest batch that fits, the other settings as they are; 0 if not even one sample fits,
  // nothing if nobody asked (Predictor::largest_batch).
  std::optional<std::int64_t> largest_batch;
  Flops flops_per_iteration;
  // By the algorithms that need least (model/cost/least_arithmetic.h): no device does less.
  Flops least_flops_per_iteration;
  double model_flops_utilization = 0;
  bool peak_is_measured = false;             // what it refers to; else of the data sheet
  std::vector<OriginLine> origins;           // per kernel family
  std::vector<IntervalPart> interval_parts;  // of jobs
  // What the error of the part "computing" consists of, shared by the points of a sweep that share
  // the work of a device; none if it was measured. For comparisons, not written to files.
  std::shared_ptr<const ErrorShares> computing_errors;
  std::vector<std::string> warnings;
  std::vector<InputFile> inputs;
};

nlohmann::ordered_json to_json(const Report& report);

}  // namespace paceline
