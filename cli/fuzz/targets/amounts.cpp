// Measured rates, money and amounts; the first byte chooses which.
#include "answers/check/measured_rate.h"
#include "answers/compare/prices.h"
#include "answers/plan/amount.h"
#include "cli/fuzz/fuzz_targets.h"

namespace paceline {

void register_amounts(FuzzTargets& targets) {
  targets.add("amounts", [](std::string_view text) {
    switch (take_choice(text, 3)) {
      case 0:
        parse_measured_rate("fuzz", text);
        break;
      case 1:
        parse_money("fuzz", text);
        break;
      default:
        parse_amount("fuzz", text);
    }
  });
}

}  // namespace paceline
