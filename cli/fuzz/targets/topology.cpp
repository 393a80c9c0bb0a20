// The output of nvidia-smi topo -m.
#include "model/import/topology.h"
#include "cli/fuzz/fuzz_targets.h"
#include "model/hardware/link_catalog.h"

namespace paceline {

void register_topology(FuzzTargets& targets) {
  targets.add("topology", [](std::string_view text) {
    static const LinkCatalog links = LinkCatalog::shipped();
    import_topology(text, "fuzz", {links.at("pcie4-x16"), "nvlink3", 12, ""}, links);
  });
}

}  // namespace paceline
