#include "model/graph/blocks/branches.h"

namespace paceline {

TensorId InceptionBranches::chain(const std::string& name, TensorId x,
                                  const std::vector<ChainStep>& steps) {
  int number = 1;
  for (const ChainStep& step : steps) {
    const std::string op = name + std::to_string(number++) + ".";
    x = b_.conv_window(op + "conv", x,
                       Conv2d{.out_channels = step.out_channels,
                              .kernel_h = step.kernel_h,
                              .kernel_w = step.kernel_w,
                              .stride_h = step.stride,
                              .stride_w = step.stride,
                              .pad_h = step.valid ? 0 : step.kernel_h / 2,
                              .pad_w = step.valid ? 0 : step.kernel_w / 2,
                              .bias = false});
    x = b_.relu(op + "relu", b_.batch_norm(op + "bn", x));
  }
  return x;
}

TensorId InceptionBranches::pooled(const std::string& name, TensorId x, std::int64_t out) {
  x = b_.average_pool(name + "pool", x, {.kernel = 3, .stride = 1, .pad = 1});
  return chain(name + "pool_proj", x, {{out}});
}

TensorId InceptionBranches::shrunk(const std::string& name, TensorId x) {
  return b_.max_pool(name + "pool", x, {.kernel = 3, .stride = 2});
}

TensorId InceptionBranches::split(const std::string& name, TensorId x, std::int64_t width) {
  return b_.concat(name + "concat", {chain(name + "wide", x, {{width, 1, 3}}),
                                     chain(name + "high", x, {{width, 3, 1}})});
}

}  // namespace paceline
