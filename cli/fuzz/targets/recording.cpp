// Recordings of real training runs.
#include "traces/recording/recording.h"
#include "cli/fuzz/fuzz_targets.h"

namespace paceline {

void register_recording(FuzzTargets& targets) {
  targets.add("recording", [](std::string_view text) { parse_recording(text, "fuzz"); });
}

}  // namespace paceline
