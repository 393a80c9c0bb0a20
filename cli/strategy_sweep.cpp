#include "cli/strategy_sweep.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "simulator/frameworks/framework.h"
#include "simulator/strategies/strategy.h"

namespace paceline {
namespace {

// Names of what can be set about each strategy that is named; unknown ones are refused later.
std::map<std::string, std::set<std::string>> options_by_strategy(
    const std::vector<Experiment>& points) {
  const StrategyRegistry strategies = strategy_registry();
  std::map<std::string, std::set<std::string>> out;
  for (const Experiment& point : points) {
    if (out.contains(point.strategy) || strategies.find(point.strategy) == nullptr) continue;
    for (const StrategyOption& option : all_options(*strategies.make(point.strategy))) {
      out[point.strategy].insert(option.name);
    }
  }
  return out;
}

// The same of each framework, on whatever device.
std::map<std::string, std::set<std::string>> options_by_framework(
    const std::vector<Experiment>& points) {
  const FrameworkRegistry frameworks = framework_registry();
  std::map<std::string, std::set<std::string>> out;
  for (const Experiment& point : points) {
    if (out.contains(point.framework) || frameworks.find(point.framework) == nullptr) continue;
    const auto made = frameworks.make(point.framework);
    for (const DeviceKind kind : {DeviceKind::kCpu, DeviceKind::kGpu}) {
      for (const FrameworkOption& option : made->options(kind)) {
        out[point.framework].insert(option.name);
      }
    }
  }
  return out;
}

void keep_each_once(std::vector<Experiment>& points) {
  std::set<std::string> seen;
  std::erase_if(
      points, [&](const Experiment& point) { return !seen.insert(to_json(point).dump()).second; });
}

}  // namespace

void keep_own_options(std::vector<Experiment>& points) {
  const auto known = options_by_strategy(points);
  if (known.size() < 2) return;
  auto of_frameworks = options_by_framework(points);
  bool changed = false;
  for (Experiment& point : points) {
    const auto own = known.find(point.strategy);
    if (own == known.end()) continue;
    std::erase_if(point.options, [&](const auto& option) {
      const std::string& key = option.first;
      const bool of_another = std::ranges::any_of(
          known, [&](const auto& strategy) { return strategy.second.contains(key); });
      const bool foreign =
          of_another && !own->second.contains(key) && !of_frameworks[point.framework].contains(key);
      changed = changed || foreign;
      return foreign;
    });
  }
  if (changed) keep_each_once(points);
}

}  // namespace paceline
