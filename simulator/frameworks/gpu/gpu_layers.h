// Parts of layers that forward and backward on a GPU share.
#pragma once

#include "simulator/frameworks/gpu/gpu_issuer.h"

namespace paceline::gpu {

// Copies the operands of a product that the library cannot read where they lie.
void copy_strided_operands(Issuer& issuer, const Op& op);
// The weight matrix or filter of a layer.
Operand weight_operand(const Issuer& issuer, const Op& op);
// The convolutions of a pass, with the layout of the graph's images.
std::vector<KernelShape> convolution_shapes(const Issuer& issuer, const Op& op, Pass pass);
AttentionShape attention_shape(const Issuer& issuer, const Op& op, Pass pass);

// One library call for all layers and steps, or a product and the cell's elementwise kernel for
// every step (record/gpu_record.h).
void recurrent_forward(Issuer& issuer, const Op& op, const Rnn& rnn);
void recurrent_backward(Issuer& issuer, const Op& op, const Rnn& rnn);

}  // namespace paceline::gpu
