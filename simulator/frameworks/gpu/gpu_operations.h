// The calls of one operation on a GPU: cuBLAS for matrix products, cuDNN for convolutions and
// recurrent layers, one kernel for each elementwise operation.
#pragma once

#include <vector>

#include "model/graph/rewrite/fusion.h"
#include "simulator/frameworks/gpu/gpu_issuer.h"

namespace paceline::gpu {

void issue_forward(Issuer& issuer, const Op& op);
void issue_backward(Issuer& issuer, const Op& op);
// The one kernel of a group of operations that the framework compiles together.
void issue_fused_forward(Issuer& issuer, const FusedGroup& group);
void issue_fused_backward(Issuer& issuer, std::vector<IssuedCall>& calls, const FusedGroup& group);

}  // namespace paceline::gpu
