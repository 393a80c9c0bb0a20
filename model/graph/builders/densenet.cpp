// DenseNet (Huang et al., arXiv 1608.06993).
#include <array>

#include "model/graph/workload.h"

namespace paceline {
namespace {

struct Depth {
  std::array<int, 4> layers;
  std::int64_t growth, stem;
};

// Normalisation, ReLU, 1x1 convolution to four times the growth, the same with 3x3 to the growth.
TensorId dense_layer(WorkloadBuilder& b, const std::string& name, TensorId x, std::int64_t growth) {
  x = b.relu(name + "relu1", b.batch_norm(name + "norm1", x));
  x = b.conv(name + "conv1", x, {.out_channels = 4 * growth, .bias = false});
  x = b.relu(name + "relu2", b.batch_norm(name + "norm2", x));
  return b.conv(name + "conv2", x, {.out_channels = growth, .kernel = 3, .pad = 1, .bias = false});
}

// Each layer reads everything before it, joined.
TensorId dense_block(WorkloadBuilder& b, const std::string& name, TensorId x, int layers,
                     std::int64_t growth) {
  std::vector<TensorId> parts = {x};
  for (int i = 0; i < layers; ++i) {
    const std::string layer = name + "denselayer" + std::to_string(i + 1) + ".";
    const TensorId joined = b.concat(layer + "concat", parts);
    parts.push_back(dense_layer(b, layer, joined, growth));
  }
  return b.concat(name + "concat", parts);
}

void densenet(WorkloadBuilder& b, const Depth& depth) {
  TensorId x = b.input("images", {b.batch(), 3, 224, 224});
  x = b.conv("conv0", x,
             {.out_channels = depth.stem, .kernel = 7, .stride = 2, .pad = 3, .bias = false});
  x = b.relu("relu0", b.batch_norm("norm0", x));
  x = b.max_pool("pool0", x, {.kernel = 3, .stride = 2, .pad = 1});
  for (std::size_t i = 0; i < depth.layers.size(); ++i) {
    const std::string n = std::to_string(i + 1);
    x = dense_block(b, "denseblock" + n + ".", x, depth.layers[i], depth.growth);
    if (i + 1 == depth.layers.size()) break;
    const std::string name = "transition" + n + ".";
    x = b.relu(name + "relu", b.batch_norm(name + "norm", x));
    x = b.conv(name + "conv", x, {.out_channels = b.dim(x, 1) / 2, .bias = false});
    x = b.average_pool(name + "pool", x, {.kernel = 2, .stride = 2});
  }
  x = b.relu("relu5", b.batch_norm("norm5", x));
  x = b.linear("classifier", b.flatten("flatten", b.global_average_pool("avgpool", x), 1), 1000);
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

}  // namespace

void register_densenet(WorkloadRegistry& registry) {
  const auto add = [&](int layers, Depth depth) {
    const std::string n = std::to_string(layers);
    registry.add("densenet" + n, "DenseNet-" + n + ", ImageNet", [depth] {
      return std::make_unique<const Workload>(Workload{
          .source = "Huang et al., arXiv 1608.06993, as torchvision writes it",
          .input = "3x224x224 image",
          .build = [depth](WorkloadBuilder& b, const WorkloadConfig&) { densenet(b, depth); }});
    });
  };
  add(121, {{6, 12, 24, 16}, 32, 64});
  add(161, {{6, 12, 36, 24}, 48, 96});
  add(169, {{6, 12, 32, 32}, 32, 64});
  add(201, {{6, 12, 48, 32}, 32, 64});
}

}  // namespace paceline
