// The output of the OSU benchmarks.
#include "traces/import/osu.h"
#include "cli/fuzz/fuzz_targets.h"

namespace paceline {

void register_osu(FuzzTargets& targets) {
  targets.add("osu", [](std::string_view text) { import_osu(text, "fuzz", {"all-reduce", 8, 1}); });
}

}  // namespace paceline
