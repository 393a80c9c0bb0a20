#include "cli/strategy_listing.h"

#include <nlohmann/json.hpp>

#include "simulator/strategies/strategy.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

const char* kind_text(OptionKind kind) {
  switch (kind) {
    case OptionKind::kCount:
      return "whole number";
    case OptionKind::kNumber:
      return "number";
    case OptionKind::kBytes:
      return "size";
    case OptionKind::kSeconds:
      return "time";
    default:
      return "";
  }
}

ordered_json allowed(const StrategyOption& option) {
  if (option.kind == OptionKind::kSwitch) return {"on", "off"};
  if (option.kind == OptionKind::kChoice) return option.choices;
  return kind_text(option.kind);
}

ordered_json option_json(const StrategyOption& option) {
  ordered_json out = {{"name", option.name},
                      {"default", option.fallback},
                      {"allowed", allowed(option)},
                      {"summary", option.summary}};
  if (!option.only_with.empty()) out["needs"][option.only_with] = option.only_values;
  return out;
}

}  // namespace

ordered_json list_strategies() {
  ordered_json out = ordered_json::array();
  const StrategyRegistry registry = strategy_registry();
  for (const auto& entry : registry.entries()) {
    ordered_json options = ordered_json::array();
    for (const StrategyOption& option : all_options(*entry.make())) {
      options.push_back(option_json(option));
    }
    out.push_back({{"name", entry.name}, {"summary", entry.summary}, {"options", options}});
  }
  return out;
}

}  // namespace paceline
