// VGG (Simonyan & Zisserman, arXiv 1409.1556) and OverFeat (Sermanet et al., arXiv 1312.6229).
#include "model/graph/workload.h"

namespace paceline {
namespace {

// 3x3 convolutions of a stage's width, ReLU after each, a 2x2 pooling after each stage.
void vgg(WorkloadBuilder& b, const std::vector<int>& convolutions) {
  TensorId x = b.input("images", {b.batch(), 3, 224, 224});
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < convolutions.size(); ++stage) {
    const std::string prefix = std::to_string(stage + 1) + "_";
    for (int i = 0; i < convolutions[stage]; ++i) {
      const std::string n = prefix + std::to_string(i + 1);
      x = b.conv("conv" + n, x, {.out_channels = width, .kernel = 3, .pad = 1});
      x = b.relu("relu" + n, x);
    }
    x = b.max_pool("pool" + std::to_string(stage + 1), x, {.kernel = 2, .stride = 2});
    if (stage + 2 < convolutions.size()) width *= 2;
  }
  x = b.average_pool("avgpool", x, {.kernel = 1, .stride = 1});  // adaptive to 7x7
  x = b.flatten("flatten", x, 1);
  x = b.dropout("drop6", b.relu("relu6", b.linear("fc6", x, 4096)), 0.5);
  x = b.dropout("drop7", b.relu("relu7", b.linear("fc7", x, 4096)), 0.5);
  x = b.linear("fc8", x, 1000);
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

// The fast model, as soumith/convnet-benchmarks ran it.
void overfeat(WorkloadBuilder& b, const WorkloadConfig&) {
  TensorId x = b.input("images", {b.batch(), 3, 231, 231});
  const auto layer = [&](const std::string& n, const ConvOptions& options, bool pool) {
    x = b.relu("relu" + n, b.conv("conv" + n, x, options));
    if (pool) x = b.max_pool("pool" + n, x, {.kernel = 2, .stride = 2});
  };
  layer("1", {.out_channels = 96, .kernel = 11, .stride = 4}, true);
  layer("2", {.out_channels = 256, .kernel = 5}, true);
  layer("3", {.out_channels = 512, .kernel = 3, .pad = 1}, false);
  layer("4", {.out_channels = 1024, .kernel = 3, .pad = 1}, false);
  layer("5", {.out_channels = 1024, .kernel = 3, .pad = 1}, true);
  x = b.flatten("flatten", x, 1);
  x = b.relu("relu6", b.linear("fc6", x, 3072));
  x = b.relu("relu7", b.linear("fc7", x, 4096));
  x = b.linear("fc8", x, 1000);
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

}  // namespace

void register_vgg(WorkloadRegistry& registry) {
  const auto add = [&](int layers, std::vector<int> convolutions) {
    const std::string depth = std::to_string(layers);
    registry.add("vgg" + depth, "VGG-" + depth + ", ImageNet", [convolutions] {
      return std::make_unique<const Workload>(
          Workload{.source = "Simonyan & Zisserman, arXiv 1409.1556, as torchvision writes it",
                   .input = "3x224x224 image",
                   .build = [convolutions](WorkloadBuilder& b, const WorkloadConfig&) {
                     vgg(b, convolutions);
                   }});
    });
  };
  add(11, {1, 1, 2, 2, 2});
  add(13, {2, 2, 2, 2, 2});
  add(16, {2, 2, 3, 3, 3});
  add(19, {2, 2, 4, 4, 4});
  registry.add("overfeat", "OverFeat, fast model, ImageNet", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Sermanet et al., arXiv 1312.6229, as soumith/convnet-benchmarks ran it",
                 .input = "3x231x231 image",
                 .build = overfeat});
  });
}

}  // namespace paceline
