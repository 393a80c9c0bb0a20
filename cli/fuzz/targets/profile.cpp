// Measured layer times.
#include "cli/fuzz/fuzz_targets.h"
#include "simulator/job/profile_file.h"

namespace paceline {

void register_profile(FuzzTargets& targets) {
  targets.add("profile", [](std::string_view text) { parse_profile(text, "fuzz"); });
}

}  // namespace paceline
