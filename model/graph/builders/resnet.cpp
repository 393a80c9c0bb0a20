// Residual networks for ImageNet (He et al., arXiv 1512.03385).
#include <array>

#include "model/graph/workload.h"

namespace paceline {
namespace {

struct Depth {
  std::array<int, 4> blocks;
  bool bottleneck;
};

class Resnet {
 public:
  Resnet(WorkloadBuilder& b, const Depth& depth, bool stride_in_1x1)
      : b_(b), depth_(depth), stride_in_1x1_(stride_in_1x1) {}

  void build() {
    TensorId x = b_.input("images", {b_.batch(), 3, 224, 224});
    x = conv_norm("conv1", "bn1", x, {.out_channels = 64, .kernel = 7, .stride = 2, .pad = 3});
    x = b_.max_pool("maxpool", b_.relu("relu", x), {.kernel = 3, .stride = 2, .pad = 1});
    std::int64_t width = 64;
    for (std::size_t stage = 0; stage < depth_.blocks.size(); ++stage, width *= 2) {
      for (int block = 0; block < depth_.blocks[stage]; ++block) {
        const std::string name =
            "layer" + std::to_string(stage + 1) + "." + std::to_string(block) + ".";
        x = residual(name, x, width, stage > 0 && block == 0 ? 2 : 1);
      }
    }
    x = b_.flatten("flatten", b_.global_average_pool("avgpool", x), 1);
    x = b_.linear("fc", x, 1000);
    b_.cross_entropy("loss", x, b_.integer_input("labels", {b_.batch()}));
  }

 private:
  TensorId conv_norm(const std::string& conv, const std::string& norm, TensorId x,
                     ConvOptions options) {
    options.bias = false;
    return b_.batch_norm(norm, b_.conv(conv, x, options));
  }

  TensorId residual(const std::string& name, TensorId x, std::int64_t width, std::int64_t stride) {
    const std::int64_t out = depth_.bottleneck ? 4 * width : width;
    TensorId identity = x;
    if (stride != 1 || b_.dim(x, 1) != out) {
      identity = conv_norm(name + "downsample.0", name + "downsample.1", x,
                           {.out_channels = out, .stride = stride});
    }
    TensorId y = depth_.bottleneck ? bottleneck(name, x, width, stride)
                                   : two_convolutions(name, x, width, stride);
    y = b_.add(name + "add", y, identity, true);
    return b_.relu(name + "relu", y);
  }

  TensorId bottleneck(const std::string& name, TensorId x, std::int64_t width,
                      std::int64_t stride) {
    const std::int64_t first = stride_in_1x1_ ? stride : 1;
    x = conv_norm(name + "conv1", name + "bn1", x, {.out_channels = width, .stride = first});
    x = conv_norm(name + "conv2", name + "bn2", b_.relu(name + "relu1", x),
                  {.out_channels = width, .kernel = 3, .stride = stride / first, .pad = 1});
    return conv_norm(name + "conv3", name + "bn3", b_.relu(name + "relu2", x),
                     {.out_channels = 4 * width});
  }

  TensorId two_convolutions(const std::string& name, TensorId x, std::int64_t width,
                            std::int64_t stride) {
    x = conv_norm(name + "conv1", name + "bn1", x,
                  {.out_channels = width, .kernel = 3, .stride = stride, .pad = 1});
    return conv_norm(name + "conv2", name + "bn2", b_.relu(name + "relu1", x),
                     {.out_channels = width, .kernel = 3, .pad = 1});
  }

  WorkloadBuilder& b_;
  const Depth& depth_;
  bool stride_in_1x1_;
};

}  // namespace

void register_resnet(WorkloadRegistry& registry) {
  const auto add = [&](int layers, Depth depth) {
    const std::string name = "resnet" + std::to_string(layers);
    registry.add(name, "ResNet-" + std::to_string(layers) + ", ImageNet", [depth] {
      Workload workload{.source = "He et al., arXiv 1512.03385, as torchvision writes it",
                        .input = "3x224x224 image",
                        .build = [depth](WorkloadBuilder& b, const WorkloadConfig& config) {
                          Resnet(b, depth, config.variant == "stride-in-1x1").build();
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
