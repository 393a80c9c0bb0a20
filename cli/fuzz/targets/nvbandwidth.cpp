// The JSON of nvbandwidth.
#include "traces/import/nvbandwidth.h"
#include "cli/fuzz/fuzz_targets.h"

namespace paceline {

void register_nvbandwidth(FuzzTargets& targets) {
  targets.add("nvbandwidth", [](std::string_view text) { import_nvbandwidth(text, "fuzz", 1e6); });
}

}  // namespace paceline
