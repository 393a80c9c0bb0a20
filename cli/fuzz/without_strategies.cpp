// In place of cli/strategy_sweep.cpp, which needs every strategy and framework: nothing there
// parses.
#include "cli/strategy_sweep.h"

namespace paceline {

void keep_own_options(std::vector<Experiment>&) {}

}  // namespace paceline
