// MXNet, symbolic, one engine operation per node: all of it is in
// model/catalog/frameworks/mxnet.json.
#include "simulator/frameworks/gpu/gpu_framework.h"

namespace paceline {

void register_mxnet(FrameworkRegistry& registry) {
  registry.add("mxnet", "MXNet, symbolic, one engine operation per node",
               [] { return make_gpu_framework("mxnet"); });
}

}  // namespace paceline
