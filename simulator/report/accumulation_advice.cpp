#include "simulator/report/accumulation_advice.h"

#include "core/percent.h"
#include "core/units_text.h"

namespace paceline {
namespace {

constexpr double kWorthIt = 0.01;  // of the iteration

std::map<std::string, std::string> what_was_set(const StrategyOptions& options) {
  std::map<std::string, std::string> set;
  for (const auto& [name, value] : options.all()) {
    if (options.was_set(name)) set[name] = value;
  }
  return set;
}

}  // namespace

std::optional<std::string> accumulation_advice(const JobSpec& job, const Strategy& strategy,
                                               const StrategyOptions& options,
                                               Communicator& communicator, Seconds time) {
  const bool every = options.has("sync") && options.was_set("sync") && options.is("sync", "every");
  if (!every || job.profile.micro_batches < 2) return std::nullopt;
  std::map<std::string, std::string> set = what_was_set(options);
  set["sync"] = "last";
  const StrategyOptions once("accumulation", all_options(strategy), set);
  const Seconds last = steady_time(job, strategy, once, communicator);
  const double gain = 1 - last / time;
  if (gain < kWorthIt) return std::nullopt;
  return "sync=last (no_sync in all micro-batches but the last) would take " + to_text(last) +
         " instead of " + to_text(time) + " (-" + percent(gain) + ")";
}

}  // namespace paceline
