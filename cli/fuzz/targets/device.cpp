// Device files.
#include "cli/fuzz/fuzz_targets.h"
#include "core/json_reader.h"
#include "model/hardware/device_spec.h"

namespace paceline {

void register_device(FuzzTargets& targets) {
  targets.add("device", [](std::string_view text) {
    const JsonDocument document = parse_json(text, "fuzz", "paceline.device/1");
    read_device(document.root());
  });
}

}  // namespace paceline
