// The branches of the later Inception networks: chains of convolutions, each followed by batch
// normalisation and ReLU, beside pooling.
#pragma once

#include <string>
#include <vector>

#include "model/graph/workload_builder.h"

namespace paceline {

// A convolution of kernel_h x kernel_w; it keeps the image's size unless it is `valid` or strided.
struct ChainStep {
  std::int64_t out_channels = 0;
  std::int64_t kernel_h = 1, kernel_w = 1;
  std::int64_t stride = 1;
  bool valid = false;
};

class InceptionBranches {
 public:
  explicit InceptionBranches(WorkloadBuilder& b) : b_(b) {}

  // Operations are named <name><number>.conv, .bn, .relu.
  TensorId chain(const std::string& name, TensorId x, const std::vector<ChainStep>& steps);
  // Averages 3x3 windows and projects them to `out` channels: <name>pool, <name>pool_proj1.
  TensorId pooled(const std::string& name, TensorId x, std::int64_t out);
  // The largest of 3x3 windows at every second place: <name>pool.
  TensorId shrunk(const std::string& name, TensorId x);
  // 1x3 and 3x1 convolutions of `width` channels side by side: <name>wide1, <name>high1.
  TensorId split(const std::string& name, TensorId x, std::int64_t width);

 private:
  WorkloadBuilder& b_;
};

}  // namespace paceline
