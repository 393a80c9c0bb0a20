#include "cli/fuzz/small_graph.h"

namespace paceline {

void build_small(const ImportedModel& model) {
  build_workload(model.name, model.workload,
                 {.batch = 2, .seq = model.workload.default_seq, .choose = {}});
}

}  // namespace paceline
