// Networks made to be small: SqueezeNet (arXiv 1602.07360) and MobileNet v2 (arXiv 1801.04381).
#include <algorithm>
#include <utility>

#include "model/graph/workload.h"

namespace paceline {
namespace {

// A 1x1 convolution that narrows, then a 1x1 and a 3x3 one side by side.
TensorId fire(WorkloadBuilder& b, int number, TensorId x, std::int64_t squeeze,
              std::int64_t expand) {
  const std::string name = "fire" + std::to_string(number) + ".";
  x = b.relu(name + "squeeze_relu", b.conv(name + "squeeze", x, {.out_channels = squeeze}));
  const TensorId narrow =
      b.relu(name + "expand1x1_relu", b.conv(name + "expand1x1", x, {.out_channels = expand}));
  const TensorId wide =
      b.relu(name + "expand3x3_relu",
             b.conv(name + "expand3x3", x, {.out_channels = expand, .kernel = 3, .pad = 1}));
  return b.concat(name + "concat", {narrow, wide});
}

void squeezenet(WorkloadBuilder& b, const WorkloadConfig& config) {
  const bool newer = config.variant == "1.1";
  const PoolOptions pool{.kernel = 3, .stride = 2, .ceil_mode = true};
  TensorId x = b.input("images", {b.batch(), 3, 224, 224});
  x = b.relu(
      "relu1",
      b.conv("conv1", x, {.out_channels = newer ? 64 : 96, .kernel = newer ? 3 : 7, .stride = 2}));
  const std::vector<int> pool_before =
      newer ? std::vector<int>{2, 4, 6} : std::vector<int>{2, 5, 9};
  const std::vector<std::pair<std::int64_t, std::int64_t>> widths = {
      {16, 64}, {16, 64}, {32, 128}, {32, 128}, {48, 192}, {48, 192}, {64, 256}, {64, 256}};
  for (int i = 2; i <= 9; ++i) {
    if (std::find(pool_before.begin(), pool_before.end(), i) != pool_before.end()) {
      x = b.max_pool("pool" + std::to_string(i), x, pool);
    }
    const auto& [squeeze, expand] = widths[static_cast<std::size_t>(i - 2)];
    x = fire(b, i, x, squeeze, expand);
  }
  x = b.dropout("drop", x, 0.5);
  x = b.relu("relu10", b.conv("conv10", x, {.out_channels = 1000}));
  x = b.flatten("flatten", b.global_average_pool("avgpool", x), 1);
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

TensorId conv_norm(WorkloadBuilder& b, const std::string& name, TensorId x, ConvOptions options,
                   bool activate = true) {
  options.bias = false;
  options.pad = options.kernel / 2;
  x = b.batch_norm(name + "bn", b.conv(name + "conv", x, options));
  return activate ? b.activate(name + "relu6", x, Activation::kRelu6, true) : x;
}

// Widen by 1x1, filter each channel by 3x3, narrow by 1x1; added to the input where shapes allow.
TensorId inverted_residual(WorkloadBuilder& b, const std::string& name, TensorId x,
                           std::int64_t out, std::int64_t stride, std::int64_t expansion) {
  const std::int64_t in = b.dim(x, 1);
  TensorId y = x;
  if (expansion > 1) y = conv_norm(b, name + "expand.", y, {.out_channels = in * expansion});
  y = conv_norm(
      b, name + "depthwise.", y,
      {.out_channels = in * expansion, .kernel = 3, .stride = stride, .groups = in * expansion});
  y = conv_norm(b, name + "project.", y, {.out_channels = out}, false);
  return stride == 1 && in == out ? b.add(name + "add", x, y) : y;
}

void mobilenet_v2(WorkloadBuilder& b, const WorkloadConfig&) {
  struct Stage {
    std::int64_t expansion, channels, blocks, stride;
  };
  TensorId x = b.input("images", {b.batch(), 3, 224, 224});
  x = conv_norm(b, "stem.", x, {.out_channels = 32, .kernel = 3, .stride = 2});
  int stage_number = 1;
  for (const Stage& stage :
       {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
        Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}}) {
    const std::string name = "stage" + std::to_string(stage_number++) + ".";
    for (std::int64_t i = 0; i < stage.blocks; ++i) {
      x = inverted_residual(b, name + std::to_string(i) + ".", x, stage.channels,
                            i == 0 ? stage.stride : 1, stage.expansion);
    }
  }
  x = conv_norm(b, "last.", x, {.out_channels = 1280});
  x = b.flatten("flatten", b.global_average_pool("avgpool", x), 1);
  x = b.linear("classifier", b.dropout("drop", x, 0.2), 1000);
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

}  // namespace

void register_compact_cnn(WorkloadRegistry& registry) {
  registry.add("squeezenet", "SqueezeNet, ImageNet", [] {
    return std::make_unique<const Workload>(Workload{
        .source = "Iandola et al., arXiv 1602.07360, as torchvision writes it",
        .input = "3x224x224 image",
        .variants = {{"1.0", "as in the paper"}, {"1.1", "earlier pooling, 2.4x less work"}},
        .build = squeezenet});
  });
  registry.add("mobilenet-v2", "MobileNet v2, ImageNet", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Sandler et al., arXiv 1801.04381, as torchvision writes it",
                 .input = "3x224x224 image",
                 .build = mobilenet_v2});
  });
}

}  // namespace paceline
