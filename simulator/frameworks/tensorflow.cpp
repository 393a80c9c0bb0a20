// TensorFlow 1, graph executor, feed of each batch: all of it is in
// model/catalog/frameworks/tensorflow.json.
#include "simulator/frameworks/gpu/gpu_framework.h"

namespace paceline {

void register_tensorflow(FrameworkRegistry& registry) {
  registry.add("tensorflow", "TensorFlow 1, graph executor, feed of each batch",
               [] { return make_gpu_framework("tensorflow"); });
}

}  // namespace paceline
