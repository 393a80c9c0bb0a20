// A config.json of Hugging Face, and the graph that it describes.
#include "model/import/hugging_face.h"
#include "cli/fuzz/fuzz_targets.h"
#include "cli/fuzz/small_graph.h"

namespace paceline {

void register_hugging_face(FuzzTargets& targets) {
  targets.add("hugging_face",
              [](std::string_view text) { build_small(import_hugging_face(text, "fuzz")); });
}

}  // namespace paceline
