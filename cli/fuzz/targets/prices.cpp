// Price files.
#include "answers/compare/prices.h"
#include "cli/fuzz/as_file.h"
#include "cli/fuzz/fuzz_targets.h"

namespace paceline {

void register_prices(FuzzTargets& targets) {
  targets.add("prices", [](std::string_view text) {
    const AsFile file(text);
    PriceList::read(file.path());
  });
}

}  // namespace paceline
