// Caffe, one iteration of its solver: all of it is in model/catalog/frameworks/caffe.json.
#include "simulator/frameworks/gpu/gpu_framework.h"

namespace paceline {

void register_caffe(FrameworkRegistry& registry) {
  registry.add("caffe", "Caffe, one iteration of its solver",
               [] { return make_gpu_framework("caffe"); });
}

}  // namespace paceline
