#include "answers/compare/varying.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace paceline {
namespace {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& config, const std::string& key) {
  const auto found = config.find(key);
  if (found == config.end()) return "-";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// "set" spread out, so that its keys stand beside the flags.
ordered_json flat(const Experiment& experiment) {
  ordered_json config = to_json(experiment);
  const ordered_json options = config.contains("set") ? config["set"] : ordered_json::object();
  config.erase("set");
  for (const auto& [key, value] : options.items()) config[key] = value;
  return config;
}

// What follows from the number of devices where nobody chose it.
void erase_consequences(std::vector<ordered_json>& configs) {
  const bool one_machine = std::ranges::all_of(configs, [](const ordered_json& config) {
    return config.value("gpus_per_node", 1) == config.value("gpus", 1);
  });
  std::string strategy;
  bool one_strategy = true;
  for (const ordered_json& config : configs) {
    if (config.value("gpus", 1) == 1 && config.value("strategy", "") == "none") continue;
    if (strategy.empty()) strategy = config.value("strategy", "");
    one_strategy = one_strategy && strategy == config.value("strategy", "");
  }
  for (ordered_json& config : configs) {
    if (one_machine) config.erase("gpus_per_node");
    if (one_strategy) config.erase("strategy");
  }
}

bool is_count(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<VaryingKey> varying(const std::vector<ordered_json>& configs) {
  std::vector<std::string> keys;
  for (const ordered_json& config : configs) {
    for (const auto& [key, value] : config.items()) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  std::vector<VaryingKey> out;
  for (const std::string& key : keys) {
    VaryingKey found{key, {}, true};
    for (const ordered_json& config : configs) found.values.push_back(text_of(config, key));
    const bool differs = std::ranges::any_of(
        found.values, [&](const std::string& value) { return value != found.values.front(); });
    if (!differs) continue;
    found.counts = std::ranges::all_of(found.values, is_count);
    out.push_back(std::move(found));
  }
  return out;
}

}  // namespace

std::vector<VaryingKey> varying_keys(const std::vector<Report>& reports) {
  std::vector<ordered_json> configs;
  for (const Report& report : reports) configs.push_back(flat(report.experiment));
  erase_consequences(configs);
  return varying(configs);
}

std::vector<VaryingKey> varying_options(const std::vector<Experiment>& experiments) {
  std::vector<ordered_json> configs;
  for (const Experiment& e : experiments) configs.emplace_back(e.options);
  return varying(configs);
}

}  // namespace paceline
