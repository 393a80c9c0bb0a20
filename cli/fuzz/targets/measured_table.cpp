// CSV files of measured scaling and of ranks.
#include "answers/check/scaling_file.h"
#include "cli/fuzz/fuzz_targets.h"

namespace paceline {

void register_measured_table(FuzzTargets& targets) {
  targets.add("measured_table", [](std::string_view text) {
    if (is_measured_table(text)) read_measured_table(text, "fuzz");
  });
}

}  // namespace paceline
