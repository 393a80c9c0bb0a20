#include "model/graph/blocks/branches.h"

namespace paceline {

TensorId conv_chain(WorkloadBuilder& b, const std::string& name, TensorId x,
                    const std::vector<ChainStep>& steps) {
  int number = 1;
  for (const ChainStep& step : steps) {
    const std::string op = name + std::to_string(number++) + ".";
    x = b.conv_window(op + "conv", x,
                      Conv2d{.out_channels = step.out_channels,
                             .kernel_h = step.kernel_h,
                             .kernel_w = step.kernel_w,
                             .stride_h = step.stride,
                             .stride_w = step.stride,
                             .pad_h = step.valid ? 0 : step.kernel_h / 2,
                             .pad_w = step.valid ? 0 : step.kernel_w / 2,
                             .bias = false});
    x = b.relu(op + "relu", b.batch_norm(op + "bn", x));
  }
  return x;
}

}  // namespace paceline
