// Torch7 with cudnn.torch, Lua modules: all of it is in model/catalog/frameworks/torch7.json.
#include "simulator/frameworks/gpu/gpu_framework.h"

namespace paceline {

void register_torch7(FrameworkRegistry& registry) {
  registry.add("torch7", "Torch7 with cudnn.torch, Lua modules",
               [] { return make_gpu_framework("torch7"); });
}

}  // namespace paceline
