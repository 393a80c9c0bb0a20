// Links by name, quantity and factor.
#include "cli/fuzz/fuzz_targets.h"
#include "model/hardware/link_catalog.h"

namespace paceline {

void register_links(FuzzTargets& targets) {
  targets.add("links", [](std::string_view text) {
    static const LinkCatalog links = LinkCatalog::shipped();
    const LinkUse use = take_choice(text, 2) == 0 ? LinkUse::kNetwork : LinkUse::kInsideMachine;
    parse_link(text, use, links);
  });
}

}  // namespace paceline
