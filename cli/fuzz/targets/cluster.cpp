// Cluster files.
#include "cli/fuzz/as_file.h"
#include "cli/fuzz/fuzz_targets.h"
#include "model/hardware/link_catalog.h"
#include "model/hardware/machine_spec.h"

namespace paceline {

void register_cluster(FuzzTargets& targets) {
  targets.add("cluster", [](std::string_view text) {
    static const LinkCatalog links = LinkCatalog::shipped();
    const AsFile file(text);
    read_cluster(file.path(), links);
  });
}

}  // namespace paceline
