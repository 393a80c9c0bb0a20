#include "simulator/frameworks/gpu/gpu_layers.h"

namespace paceline::gpu {

void copy_strided_operands(Issuer& issuer, const Op& op) {
  for (std::size_t k = 0; k < op.inputs.size(); ++k) {
    if (!copies_operand(issuer.graph(), op, k)) continue;
    const TensorId input = op.inputs[k];
    issuer.host("copy");
    issuer.stream("copy", issuer.elements(input), {issuer.bytes(input), issuer.bytes(input)},
                  {issuer.activation(input)});
  }
}

Operand weight_operand(const Issuer& issuer, const Op& op) {
  const std::vector<std::int64_t> sizes = parameter_sizes(op);
  return issuer.parameter(0, sizes.empty() ? 0 : sizes.front());
}

std::vector<KernelShape> convolution_shapes(const Issuer& issuer, const Op& op, Pass pass) {
  std::vector<KernelShape> shapes = pass_kernels(issuer.graph(), op, pass);
  for (KernelShape& shape : shapes) {
    std::get<ConvShape>(shape).channels_last =
        issuer.graph().layout() == ImageLayout::kChannelsLast;
  }
  return shapes;
}

AttentionShape attention_shape(const Issuer& issuer, const Op& op, Pass pass) {
  const auto& query = issuer.graph().shape(op.inputs[0]).dims;
  const auto& key = issuer.graph().shape(op.inputs[1]).dims;
  return {.pass = pass,
          .batch = query[0],
          .seq = query[2],
          .heads = query[1],
          .kv_heads = key[1],
          .head_dim = query[3],
          .causal = std::get<Attention>(op.attributes).causal};
}

}  // namespace paceline::gpu
