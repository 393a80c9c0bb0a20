// Microsoft CNTK, BrainScript, its own recurrent loop: all of it is in
// model/catalog/frameworks/cntk.json.
#include "simulator/frameworks/gpu/gpu_framework.h"

namespace paceline {

void register_cntk(FrameworkRegistry& registry) {
  registry.add("cntk", "Microsoft CNTK, BrainScript, its own recurrent loop",
               [] { return make_gpu_framework("cntk"); });
}

}  // namespace paceline
