// Quantities with units; the first byte chooses the unit.
#include "cli/fuzz/fuzz_targets.h"
#include "core/units_text.h"

namespace paceline {

void register_units(FuzzTargets& targets) {
  targets.add("units", [](std::string_view text) {
    switch (take_choice(text, 6)) {
      case 0:
        parse_seconds(text);
        break;
      case 1:
        parse_bytes(text);
        break;
      case 2:
        parse_bytes_per_second(text);
        break;
      case 3:
        parse_flops_per_second(text);
        break;
      case 4:
        parse_samples_per_second(text);
        break;
      default:
        parse_hertz(text);
    }
  });
}

}  // namespace paceline
