// Small networks for CIFAR-10: the residual networks of He et al. (arXiv 1512.03385, section 4.2)
// and the cuda-convnet network that Shi et al. 2016 call AlexNet-R.
#include "model/graph/workload.h"

namespace paceline {
namespace {

// One residual block; the shortcut of type A halves the image by averaging and fills the new
// channels with zeros, so it has no parameters.
TensorId residual(WorkloadBuilder& b, const std::string& name, TensorId x, std::int64_t width) {
  const bool smaller = b.dim(x, 1) != width;
  TensorId y = b.conv(
      name + "conv1", x,
      {.out_channels = width, .kernel = 3, .stride = smaller ? 2 : 1, .pad = 1, .bias = false});
  y = b.relu(name + "relu1", b.batch_norm(name + "bn1", y));
  y = b.conv(name + "conv2", y, {.out_channels = width, .kernel = 3, .pad = 1, .bias = false});
  y = b.batch_norm(name + "bn2", y);
  TensorId identity = x;
  if (smaller) {
    identity = b.average_pool(name + "shortcut", x, {.kernel = 2, .stride = 2});
    const TensorId zeros = b.input(name + "zeros", b.shape(identity).dims);
    identity = b.concat(name + "pad", {identity, zeros});
  }
  return b.relu(name + "relu", b.add(name + "add", y, identity, true));
}

void resnet(WorkloadBuilder& b, int blocks_per_stage) {
  TensorId x = b.input("images", {b.batch(), 3, 32, 32});
  x = b.conv("conv1", x, {.out_channels = 16, .kernel = 3, .pad = 1, .bias = false});
  x = b.relu("relu1", b.batch_norm("bn1", x));
  std::int64_t width = 16;
  for (int stage = 1; stage <= 3; ++stage, width *= 2) {
    for (int block = 0; block < blocks_per_stage; ++block) {
      x = residual(b, "stage" + std::to_string(stage) + "." + std::to_string(block) + ".", x,
                   width);
    }
  }
  x = b.flatten("flatten", b.global_average_pool("avgpool", x), 1);
  x = b.linear("fc", x, 10);
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

// Caffe rounds pooling sizes up, so its last map is 4x4 where the others have 3x3.
void alexnet_cifar(WorkloadBuilder& b, const WorkloadConfig& config) {
  const PoolOptions pool{.kernel = 3, .stride = 2, .ceil_mode = config.variant == "caffe-ceil"};
  TensorId x = b.input("images", {b.batch(), 3, 32, 32});
  x = b.conv("conv1", x, {.out_channels = 32, .kernel = 5, .pad = 2});
  x = b.relu("relu1", b.max_pool("pool1", x, pool));
  x = b.relu("relu2", b.conv("conv2", x, {.out_channels = 32, .kernel = 5, .pad = 2}));
  x = b.average_pool("pool2", x, pool);
  x = b.relu("relu3", b.conv("conv3", x, {.out_channels = 64, .kernel = 5, .pad = 2}));
  x = b.average_pool("pool3", x, pool);
  x = b.linear("fc", b.flatten("flatten", x, 1), 10);
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

}  // namespace

void register_cifar(WorkloadRegistry& registry) {
  for (const int blocks : {3, 9, 18}) {
    const std::string layers = std::to_string(6 * blocks + 2);
    registry.add(
        "resnet" + layers, "ResNet-" + layers + ", CIFAR-10, shortcuts of type A", [blocks] {
          return std::make_unique<const Workload>(Workload{
              .source = "He et al., arXiv 1512.03385, section 4.2",
              .input = "3x32x32 image",
              .build = [blocks](WorkloadBuilder& b, const WorkloadConfig&) { resnet(b, blocks); }});
        });
  }
  registry.add("alexnet-cifar", "cuda-convnet network for CIFAR-10 (AlexNet-R)", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "hclhkbu/dlbench@978b034 (Shi et al. 2016)",
                 .input = "3x32x32 image",
                 .variants = {{"standard", "3x3 last map, as TensorFlow and Torch"},
                              {"caffe-ceil", "4x4 last map, as Caffe"}},
                 .build = alexnet_cifar});
  });
}

}  // namespace paceline
