// What can be set of a job by --set KEY=VALUE, whoever owns it, with values that show whether it
// acts.
#pragma once

#include <string>
#include <vector>

#include "simulator/frameworks/framework.h"
#include "simulator/strategies/options.h"

namespace paceline {

struct Setting {
  std::string name;
  std::string fallback;  // the value without it, as the user would write it; may be empty
  std::vector<std::string> values;  // that can be tried
  bool of_job = false;              // of strategy or network, rather than of the framework
};

// Of the network and the processors, whatever the strategy; `threads` of one worker on a CPU, 0 on
// a GPU.
std::vector<StrategyOption> job_options(int threads);

Setting setting_of(const FrameworkOption& option);
Setting setting_of(const StrategyOption& option);

}  // namespace paceline
