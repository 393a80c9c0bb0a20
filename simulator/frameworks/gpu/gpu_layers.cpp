#include "simulator/frameworks/gpu/gpu_layers.h"

#include <algorithm>

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

Bytes loss_bytes(const Issuer& issuer, const Op& op) {
  if (issuer.compiles()) return issuer.bytes(op.inputs[0]);
  return static_cast<double>(issuer.elements(op.inputs[0])) * Bytes(4);
}

namespace {

// Sums in place are one kernel whatever the record says of sums, where a framework has such, and so
// is what was compiled.
const LayerRule* rule_of(const Issuer& issuer, const Op& op) {
  if (issuer.compiles()) return nullptr;
  const auto* sum = std::get_if<Add>(&op.attributes);
  const bool in_place = sum != nullptr && sum->in_place;
  if (in_place && !issuer.record().execution.sums_in_kernels) return nullptr;
  const bool activation = std::holds_alternative<Activate>(op.attributes);
  return issuer.record().execution.rule_of(activation ? "activation" : kind_name(op.attributes));
}

}  // namespace

bool issue_passes(Issuer& issuer, const Op& op) {
  const LayerRule* rule = rule_of(issuer, op);
  if (rule == nullptr) return false;
  const bool backward = issuer.is_backward();
  const double calls = backward ? rule->backward_calls : rule->forward_calls;
  if (calls > 0) issuer.host_calls(calls);
  const TensorId input = op.inputs[0];
  const Bytes stored = issuer.bytes(input);
  const Bytes wide = static_cast<double>(issuer.elements(input)) * Bytes(4);
  const auto issue = [&](const std::string& name, const std::vector<TensorPass>& some) {
    const Operand operand = backward ? issuer.gradient(input) : issuer.activation(input);
    for (const TensorPass& pass : some) {
      if (pass.converts && stored == wide) continue;
      issuer.stream(name, issuer.elements(input),
                    {pass.read * stored + pass.read_fp32 * wide,
                     pass.written * stored + pass.written_fp32 * wide},
                    {operand});
    }
  };
  if (backward && issuer.needs_gradient(input)) issue("sum_into_zeros", rule->backward_also);
  const auto& passes = backward ? rule->backward : rule->forward;
  if (!passes) return false;
  issuer.host("pointwise", static_cast<double>(passes->size()));
  issue(std::string(kind_name(op.attributes)) + (backward ? "_backward" : ""), *passes);
  if (!backward) return true;
  issuer.deliver_parameters(op);
  for (const TensorId id : op.inputs) issuer.deliver_gradient(id);
  return true;
}

bool is_host_embedding(const Issuer& issuer, const Op& op) {
  if (!std::holds_alternative<Embedding>(op.attributes)) return false;
  if (!issuer.record().execution.host_embedding || issuer.setting("embedding") != "host") {
    return false;
  }
  return op.sharing == Sharing::kNone &&
         std::ranges::none_of(issuer.graph().ops(), [&](const Op& other) {
           return other.sharing != Sharing::kNone && other.shares_with == op.name;
         });
}

namespace {

void transpose(Issuer& issuer, TensorId image, const Operand& operand) {
  issuer.stream("transpose", issuer.elements(image), {issuer.bytes(image), issuer.bytes(image)},
                {operand});
}

}  // namespace

void transpose_images(Issuer& issuer, const Op& op, Pass pass) {
  if (!issuer.record().execution.transposes_images) return;
  if (pass_kernels(issuer.graph(), op, pass).empty()) return;
  for (const TensorId image : {op.inputs[0], op.output}) {
    transpose(issuer, image, issuer.activation(image));
  }
  const std::vector<std::int64_t> sizes = parameter_sizes(op);
  if (sizes.empty()) return;
  const Bytes filter = static_cast<double>(sizes[0]) * Bytes(4);
  issuer.stream("transpose", sizes[0], {filter, filter}, {issuer.parameter(0, sizes[0])});
}

void transpose_pool_gradient(Issuer& issuer, const Op& op) {
  if (!issuer.record().execution.transposes_pool_gradients) return;
  for (const TensorId image : {op.inputs[0], op.output}) {
    transpose(issuer, image, issuer.activation(image));
    transpose(issuer, image, issuer.gradient(image));
  }
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
