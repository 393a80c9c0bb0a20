// AlexNet without groups and without local response normalisation, as Shi et al. 2016 ran it.
#include "model/graph/workload.h"

namespace paceline {
namespace {

struct Convolution {
  std::int64_t out_channels, kernel, stride, pad;
  bool pool_after;
};

TensorId features(WorkloadBuilder& b, TensorId x, const std::vector<Convolution>& layers,
                  std::int64_t pool_pad = 0, bool ceil_mode = false) {
  int number = 1;
  for (const Convolution& layer : layers) {
    const std::string n = std::to_string(number++);
    x = b.conv("conv" + n, x,
               {.out_channels = layer.out_channels,
                .kernel = layer.kernel,
                .stride = layer.stride,
                .pad = layer.pad});
    x = b.relu("relu" + n, x);
    if (layer.pool_after) {
      x = b.max_pool("pool" + n, x,
                     {.kernel = 3, .stride = 2, .pad = pool_pad, .ceil_mode = ceil_mode});
    }
  }
  return x;
}

TensorId classifier(WorkloadBuilder& b, TensorId x) {
  x = b.dropout("drop6", b.flatten("flatten", x, 1), 0.5);
  x = b.relu("relu6", b.linear("fc6", x, 4096));
  x = b.dropout("drop7", x, 0.5);
  x = b.relu("relu7", b.linear("fc7", x, 4096));
  return b.linear("fc8", x, 1000);
}

// conv5 and fc8 read relu3, so conv4, fc6 and fc7 are never executed. The padding of conv2 is the
// one with which the published parameters and FLOP agree.
TensorId mxnet_broken(WorkloadBuilder& b, TensorId images) {
  TensorId x =
      features(b, images, {{96, 11, 4, 0, true}, {256, 5, 1, 1, true}, {384, 3, 1, 1, false}});
  x = b.max_pool("pool5", x, {.kernel = 3, .stride = 2});
  return b.linear("fc8", b.flatten("flatten", x, 1), 1000);
}

void alexnet(WorkloadBuilder& b, const WorkloadConfig& config) {
  std::vector<Convolution> layers = {{96, 11, 4, 0, true},
                                     {256, 5, 1, 2, true},
                                     {384, 3, 1, 1, false},
                                     {384, 3, 1, 1, false},
                                     {256, 3, 1, 1, true}};
  const std::int64_t side = config.variant == "standard" ? 227 : 224;
  TensorId x = b.input("images", {b.batch(), 3, side, side});
  if (config.variant == "mxnet-broken-alexnet") {
    x = mxnet_broken(b, x);
  } else if (config.variant == "tf-same-padding") {
    // 'SAME' keeps every size that the stride does not divide: 224, 56, 28, 14, 7. The padding of
    // the first convolution is one row and column more than 'SAME' needs, which changes no shape.
    layers[0].pad = 4;
    x = classifier(b, features(b, x, layers, 1));
  } else {
    x = classifier(b, features(b, x, layers, 0, config.variant == "caffe-224"));
  }
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

}  // namespace

void register_alexnet(WorkloadRegistry& registry) {
  registry.add("alexnet", "AlexNet without groups, ImageNet", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "hclhkbu/dlbench@978b034 synthetic/experiments (Shi et al. 2016)",
                 .input = "3x227x227 image",
                 .variants = {{"standard", "227x227 input"},
                              {"caffe-224", "224x224, pooling sizes rounded up, as Caffe"},
                              {"tf-same-padding", "224x224 with 'SAME' padding, as TensorFlow"},
                              {"mxnet-broken-alexnet", "three convolutions and fc8, as MXNet"}},
                 .build = alexnet});
  });
}

}  // namespace paceline
