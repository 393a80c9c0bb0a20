#include "simulator/report/setting.h"

#include <algorithm>

namespace paceline {

std::vector<StrategyOption> job_options(int threads) {
  const std::string twice = std::to_string(2 * std::max(1, threads));
  return {{.name = "transport",
           .kind = OptionKind::kChoice,
           .fallback = "",
           .choices = {"tcp", "rdma"},
           .summary = "of the network, default its first",
           .example = "rdma"},
          {.name = "connections",
           .kind = OptionKind::kCount,
           .fallback = "",
           .choices = {},
           .summary = "over the network per machine, default what the library opens",
           .example = "1"},
          {.name = "shared_cores",
           .kind = OptionKind::kCount,
           .fallback = "",
           .choices = {},
           .summary = "of the host that several workers on CPUs share",
           .example = twice},
          {.name = "contention",
           .kind = OptionKind::kSwitch,
           .fallback = "on",
           .choices = {},
           .summary = "what collectives take from the kernels beside them",
           .example = "off"}};
}

Setting setting_of(const FrameworkOption& option) {
  Setting out{option.name, option.value, option.allowed};
  if (out.values.empty()) out.values = {option.value, option.example};
  return out;
}

Setting setting_of(const StrategyOption& option) {
  Setting out{option.name, option.fallback, {}, true};
  if (option.kind == OptionKind::kChoice) {
    out.values = option.choices;
  } else if (option.kind == OptionKind::kSwitch) {
    out.values = {"on", "off"};
  } else {
    out.values = {option.example};
    if (!option.fallback.empty()) out.values.push_back(option.fallback);
  }
  return out;
}

}  // namespace paceline
