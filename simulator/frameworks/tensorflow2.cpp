// TensorFlow 2, tf.function graphs, Keras layers: all of it is in
// model/catalog/frameworks/tensorflow2.json.
#include "simulator/frameworks/gpu/gpu_framework.h"

namespace paceline {

void register_tensorflow2(FrameworkRegistry& registry) {
  registry.add("tensorflow2", "TensorFlow 2, tf.function graphs, Keras layers",
               [] { return make_gpu_framework("tensorflow2"); });
}

}  // namespace paceline
