#include "model/plan/experiment.h"

#include <nlohmann/json.hpp>

#include "model/plan/experiment_settings.h"

namespace paceline {

nlohmann::ordered_json to_json(const Experiment& experiment) {
  nlohmann::ordered_json out;
  for_each_setting(experiment, [&](const char* name, const auto& value) { out[name] = value; });
  return out;
}

}  // namespace paceline
