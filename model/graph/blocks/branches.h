// Chains of convolutions, each followed by batch normalisation and ReLU: what the later Inception
// networks are made of.
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

// Operations are named <name><number>.conv, .bn, .relu.
TensorId conv_chain(WorkloadBuilder& b, const std::string& name, TensorId x,
                    const std::vector<ChainStep>& steps);

}  // namespace paceline
