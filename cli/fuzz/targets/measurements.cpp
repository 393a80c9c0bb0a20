// Measurement files.
#include "cli/fuzz/as_file.h"
#include "cli/fuzz/fuzz_targets.h"
#include "traces/measurement/measurement.h"

namespace paceline {

void register_measurements(FuzzTargets& targets) {
  targets.add("measurements", [](std::string_view text) {
    const AsFile file(text);
    read_measurements(file.path());
  });
}

}  // namespace paceline
