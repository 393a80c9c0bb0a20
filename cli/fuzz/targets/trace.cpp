// Profiles of other tools and timelines of our own, told apart by their content.
#include "cli/fuzz/as_file.h"
#include "cli/fuzz/fuzz_targets.h"
#include "traces/import/trace_importer.h"

namespace paceline {

void register_trace(FuzzTargets& targets) {
  targets.add("trace", [](std::string_view text) {
    const AsFile file(text);
    import_trace({file.path()}, {});
  });
}

}  // namespace paceline
