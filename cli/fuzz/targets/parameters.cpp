// Parameter files.
#include "cli/fuzz/fuzz_targets.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

void register_parameters(FuzzTargets& targets) {
  targets.add("parameters", [](std::string_view text) { parse_parameters(text, "fuzz"); });
}

}  // namespace paceline
