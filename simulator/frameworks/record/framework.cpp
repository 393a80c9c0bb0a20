#include "simulator/frameworks/framework.h"

#include <algorithm>

#include "core/error.h"

namespace paceline {

FrameworkRegistry framework_registry() {
  FrameworkRegistry registry("framework");
  register_all(registry);
  return registry;
}

FrameworkOption recomputation_option() {
  return {"recompute",
          {"none", "selective", "full", "mirror", "operations"},
          "none",
          "forward results that are dropped and made again in backward"};
}

FrameworkOption phases_option() {
  return {"phases",
          {"training", "forward-backward", "forward"},
          "training",
          "the whole iteration, or parts of it; forward alone is inference, without dropout"};
}

FrameworkSettings resolve_settings(const std::vector<FrameworkOption>& options,
                                   const FrameworkSettings& chosen) {
  FrameworkSettings out;
  for (const FrameworkOption& option : options) {
    const auto found = chosen.find(option.name);
    if (found == chosen.end()) {
      out[option.name] = option.value;
      continue;
    }
    const auto& allowed = option.allowed;
    const auto same = std::find_if(allowed.begin(), allowed.end(), [&](const std::string& value) {
      return normalized_name(value) == normalized_name(found->second);
    });
    if (!allowed.empty() && same == allowed.end()) {
      throw UsageError(unknown_name_message("--set " + option.name, found->second, allowed));
    }
    out[option.name] = allowed.empty() ? found->second : *same;
  }
  return out;
}

}  // namespace paceline
