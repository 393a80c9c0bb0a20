// Residual networks for ImageNet (He et al., arXiv 1512.03385).
#include <array>

#include "model/graph/blocks/residual.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

struct Depth {
  std::array<int, 4> blocks;
  bool bottleneck;
};

void resnet(WorkloadBuilder& b, const Depth& depth, bool stride_in_1x1) {
  ResidualOptions options{.bottleneck = depth.bottleneck, .stride_in_1x1 = stride_in_1x1};
  TensorId x = b.input("images", {b.batch(), 3, 224, 224});
  x = conv_norm(b, "conv1", "bn1", x, {.out_channels = 64, .kernel = 7, .stride = 2, .pad = 3},
                options);
  x = b.max_pool("maxpool", b.relu("relu", x), {.kernel = 3, .stride = 2, .pad = 1});
  for (std::size_t stage = 0; stage < depth.blocks.size(); ++stage) {
    options.stride = stage == 0 ? 1 : 2;
    x = residual_stage(b, "layer" + std::to_string(stage + 1) + ".", x, depth.blocks[stage],
                       options);
    options.width *= 2;
  }
  x = b.flatten("flatten", b.global_average_pool("avgpool", x), 1);
  x = b.linear("fc", x, 1000);
  b.cross_entropy("loss", x, b.integer_input("labels", {b.batch()}));
}

}  // namespace

void register_resnet(WorkloadRegistry& registry) {
  const auto add = [&](int layers, Depth depth) {
    const std::string name = "resnet" + std::to_string(layers);
    registry.add(name, "ResNet-" + std::to_string(layers) + ", ImageNet", [depth] {
      Workload workload{.source = "He et al., arXiv 1512.03385, as torchvision writes it",
                        .input = "3x224x224 image",
                        .build = [depth](WorkloadBuilder& b, const WorkloadConfig& config) {
                          resnet(b, depth, config.variant == "stride-in-1x1");
                        }};
      if (depth.bottleneck) {
        workload.variants = {{"stride-in-3x3", "as torchvision and MLPerf ('v1.5')"},
                             {"stride-in-1x1", "as in the paper, Caffe and Torch"}};
      }
      return std::make_unique<const Workload>(std::move(workload));
    });
  };
  add(18, {{2, 2, 2, 2}, false});
  add(34, {{3, 4, 6, 3}, false});
  add(50, {{3, 4, 6, 3}, true});
  add(101, {{3, 4, 23, 3}, true});
  add(152, {{3, 8, 36, 3}, true});
}

}  // namespace paceline
