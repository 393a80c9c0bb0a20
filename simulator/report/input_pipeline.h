// Data loading as a stage that runs beside training: workers that each prepare one batch at a time.
// An iteration cannot start before its batch is there, so in the steady state
//
//   iteration = max(training, time of one batch / workers)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"
#include "model/plan/report.h"

namespace paceline {

// Keys of --set:
//   loader_ms_per_batch=217   what one worker needs for one batch of one device
//   loader_workers=2          how many there are for each device; 1 if absent
struct InputPipeline {
  Seconds per_batch;
  std::int64_t workers = 1;
  // Between two batches.
  Seconds period() const { return per_batch / static_cast<double>(workers); }
};

bool is_input_option(std::string_view key);
// None if the options say nothing of it. Throws UsageError.
std::optional<InputPipeline> read_input_pipeline(const std::map<std::string, std::string>& options);

// Adds the wait for a batch to the breakdown of an iteration that takes `training` without it, and
// names the pipeline as the bottleneck if it is one, with the workers that would not be.
void add_input_wait(const InputPipeline& input, Seconds training, Report& report);

}  // namespace paceline
