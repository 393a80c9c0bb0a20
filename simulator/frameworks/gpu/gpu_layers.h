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
// The scores that a cross entropy works on: in fp32, to which training codes convert 16-bit ones
// (Hugging Face transformers, loss/loss_utils.py, ForCausalLMLoss; torchtitan, components/loss.py;
// Megatron-LM, language_module.py); where those conversions are compiled, as they are stored.
Bytes loss_bytes(const Issuer& issuer, const Op& op);

// What the record says of this kind of layer, in the present direction; false if its kernels are
// still to be issued as usual (record/execution_rules.h).
bool issue_passes(Issuer& issuer, const Op& op);
// Whether the rows of this table are looked up, and updated, by the processor. A table that is also
// the weight of another layer is on the device.
bool is_host_embedding(const Issuer& issuer, const Op& op);
// Transposes around this pass of a convolution, where images lie channels-last and the library
// wants them channels-first: what it reads, what it writes, and the filter.
void transpose_images(Issuer& issuer, const Op& op, Pass pass);
// The same around the gradient of max pooling, where the record says so: input, output and gradient
// before it, what it writes after.
void transpose_pool_gradient(Issuer& issuer, const Op& op);

// One library call for all layers and steps.
void recurrent_forward(Issuer& issuer, const Op& op, const Rnn& rnn);
void recurrent_backward(Issuer& issuer, const Op& op, const Rnn& rnn);

}  // namespace paceline::gpu
