// ONNX files, and the graph that they hold.
#include "model/import/onnx.h"
#include "cli/fuzz/fuzz_targets.h"
#include "cli/fuzz/small_graph.h"

namespace paceline {

void register_onnx(FuzzTargets& targets) {
  targets.add("onnx", [](std::string_view text) { build_small(import_onnx(text, "fuzz")); });
}

}  // namespace paceline
