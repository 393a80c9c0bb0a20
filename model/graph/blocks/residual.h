// Residual blocks (He et al., arXiv 1512.03385) with batch normalisation after each convolution.
#pragma once

#include <string>

#include "model/graph/workload_builder.h"

namespace paceline {

struct ResidualOptions {
  std::int64_t width = 64;     // of the 3x3 convolutions
  std::int64_t stride = 1;     // of the first block of a stage
  bool bottleneck = true;      // 1x1, 3x3, 1x1 to four times the width; else two 3x3
  bool stride_in_1x1 = false;  // as the paper; frameworks moved the stride to the 3x3
  bool frozen = false;         // nothing is trained
  bool frozen_norm = false;    // normalisation uses fixed statistics and is not trained
};

// Convolution without bias, then normalisation, named as given.
TensorId conv_norm(WorkloadBuilder& b, const std::string& conv, const std::string& norm, TensorId x,
                   ConvOptions window, const ResidualOptions& options);

TensorId residual_block(WorkloadBuilder& b, const std::string& name, TensorId x,
                        const ResidualOptions& options);

// `blocks` blocks named <name>0., <name>1., ...; only the first has the stride.
TensorId residual_stage(WorkloadBuilder& b, const std::string& name, TensorId x, int blocks,
                        ResidualOptions options);

}  // namespace paceline
