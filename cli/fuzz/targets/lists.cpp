// Comma lists and ranges of flags.
#include "cli/fuzz/fuzz_targets.h"
#include "cli/sweep.h"

namespace paceline {

void register_lists(FuzzTargets& targets) {
  targets.add("lists", [](std::string_view text) {
    if (take_choice(text, 2) == 0) {
      parse_counts("fuzz", text, 1'000'000);
    } else {
      parse_values("fuzz", text);
    }
  });
}

}  // namespace paceline
