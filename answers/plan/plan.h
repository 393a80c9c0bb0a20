// From a goal to configurations: which reach it, in which order, and why the others do not.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "answers/compare/prices.h"
#include "answers/plan/training_time.h"
#include "core/table.h"

namespace paceline {

struct Goal {
  double samples = 0;  // to train on in total; 0 if the goal is a throughput alone
  std::optional<Seconds> deadline;
  std::optional<Money> budget;
  std::optional<SamplesPerSecond> throughput;
};

struct PlannedConfiguration {
  std::size_t index = 0;  // into the reports
  bool feasible = false;
  std::string reason;                // why not, or what is near its limit
  Estimate rate;                     // samples per second, with the input
  bool by_input = false;             // the input limits it
  std::optional<TrainingTime> time;  // if the goal says how many samples
  double device_hours = 0;
  std::optional<Money> cost;
};

// Feasible ones first: the cheapest (device-hours where there are no prices) that meet a deadline
// or a throughput, the fastest within a budget. A configuration meets a deadline if its median
// does; `reason` says where the end of the interval does not. Throws UsageError if a budget is
// given without prices or in another currency or prices without samples, InputError if a device has
// no price.
std::vector<PlannedConfiguration> make_plan(const std::vector<Report>& reports, const Goal& goal,
                                            const Overheads& overheads, const PriceList* prices);

Table plan_table(const std::vector<Report>& reports, const std::vector<PlannedConfiguration>& plan);
// {"schema": "paceline.plan/1", "goal", "configurations": [{"rank", "fits", "feasible", "reason",
// "time_s", "cost", "device_hours", "terms_s", "config", ...}]}, best first.
nlohmann::ordered_json plan_json(const std::vector<Report>& reports, const Goal& goal,
                                 const std::vector<PlannedConfiguration>& plan,
                                 const PriceList* prices);

}  // namespace paceline
