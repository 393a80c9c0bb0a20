// The output of nccl-tests.
#include "traces/import/nccl_tests.h"
#include "cli/fuzz/fuzz_targets.h"

namespace paceline {

void register_nccl_tests(FuzzTargets& targets) {
  targets.add("nccl_tests", [](std::string_view text) {
    import_nccl_tests(text, "fuzz", {"all-reduce", 8, 1});
  });
}

}  // namespace paceline
