#include "model/graph/blocks/residual.h"

namespace paceline {
namespace {

TensorId bottleneck(WorkloadBuilder& b, const std::string& name, TensorId x,
                    const ResidualOptions& options) {
  const std::int64_t first = options.stride_in_1x1 ? options.stride : 1;
  const std::int64_t width = options.width;
  x = conv_norm(b, name + "conv1", name + "bn1", x, {.out_channels = width, .stride = first},
                options);
  x = conv_norm(b, name + "conv2", name + "bn2", b.relu(name + "relu1", x),
                {.out_channels = width, .kernel = 3, .stride = options.stride / first, .pad = 1},
                options);
  return conv_norm(b, name + "conv3", name + "bn3", b.relu(name + "relu2", x),
                   {.out_channels = 4 * width}, options);
}

TensorId two_convolutions(WorkloadBuilder& b, const std::string& name, TensorId x,
                          const ResidualOptions& options) {
  x = conv_norm(b, name + "conv1", name + "bn1", x,
                {.out_channels = options.width, .kernel = 3, .stride = options.stride, .pad = 1},
                options);
  return conv_norm(b, name + "conv2", name + "bn2", b.relu(name + "relu1", x),
                   {.out_channels = options.width, .kernel = 3, .pad = 1}, options);
}

}  // namespace

TensorId conv_norm(WorkloadBuilder& b, const std::string& conv, const std::string& norm, TensorId x,
                   ConvOptions window, const ResidualOptions& options) {
  window.bias = false;
  x = b.conv(conv, x, window);
  if (options.frozen) b.freeze();
  x = b.batch_norm(norm, x);
  if (options.frozen || options.frozen_norm) b.freeze();
  return x;
}

TensorId residual_block(WorkloadBuilder& b, const std::string& name, TensorId x,
                        const ResidualOptions& options) {
  const std::int64_t out = options.bottleneck ? 4 * options.width : options.width;
  // The branch first, as torchvision runs and registers it.
  const TensorId y =
      options.bottleneck ? bottleneck(b, name, x, options) : two_convolutions(b, name, x, options);
  TensorId identity = x;
  if (options.stride != 1 || b.dim(x, 1) != out) {
    identity = conv_norm(b, name + "downsample.0", name + "downsample.1", x,
                         {.out_channels = out, .stride = options.stride}, options);
  }
  return b.relu(name + "relu", b.add(name + "add", y, identity, true));
}

TensorId residual_stage(WorkloadBuilder& b, const std::string& name, TensorId x, int blocks,
                        ResidualOptions options) {
  for (int block = 0; block < blocks; ++block) {
    x = residual_block(b, name + std::to_string(block) + ".", x, options);
    options.stride = 1;
  }
  return x;
}

}  // namespace paceline
