// Networks in our own format, and the graph that they describe.
#include "model/import/workload_file.h"
#include "cli/fuzz/fuzz_targets.h"
#include "cli/fuzz/small_graph.h"

namespace paceline {

void register_workload_file(FuzzTargets& targets) {
  targets.add("workload_file",
              [](std::string_view text) { build_small(import_workload_file(text, "fuzz")); });
}

}  // namespace paceline
