// Strict JSON.
#include "cli/fuzz/fuzz_targets.h"
#include "core/json_reader.h"

namespace paceline {

void register_json(FuzzTargets& targets) {
  targets.add("json", [](std::string_view text) { parse_any_json(text, "fuzz"); });
}

}  // namespace paceline
