// Recurrent layers on a GPU, fused into one cuDNN call; frameworks that run them step by step have
// no recurrent layer left (model/graph/rewrite/unrolled_recurrence.h).
#include "simulator/frameworks/gpu/gpu_layers.h"

namespace paceline::gpu {
namespace {

// cuDNN's persistent kernels, under the conditions on which PyTorch asks for them.
bool is_persistent(const Issuer& issuer, const Rnn& rnn) {
  constexpr std::int64_t kLargest = 1024, kMultiple = 128;
  return issuer.record().persistent_rnn && element_size(issuer.matrix_precision()) == Bytes(2) &&
         rnn.layers == 1 && rnn.hidden <= kLargest && rnn.hidden % kMultiple == 0 &&
         rnn.input % kMultiple == 0;
}

RnnShape fused_shape(const Issuer& issuer, const Op& op, const Rnn& rnn, Pass pass) {
  const auto& x = issuer.graph().shape(op.inputs[0]).dims;
  return {.pass = pass,
          .gates = gate_count(rnn.cell),
          .input = rnn.input,
          .hidden = rnn.hidden,
          .batch = x[1],
          .steps = x[0],
          .layers = rnn.layers,
          .bidirectional = rnn.bidirectional,
          .persistent = pass != Pass::kWgrad && is_persistent(issuer, rnn)};
}

std::vector<Operand> operands(const Issuer& issuer, const Op& op) {
  return {issuer.activation(op.inputs[0]), issuer.activation(op.output),
          weight_operand(issuer, op)};
}

}  // namespace

void recurrent_forward(Issuer& issuer, const Op& op, const Rnn& rnn) {
  issuer.host("rnn");
  issuer.kernel("cudnn.rnn", fused_shape(issuer, op, rnn, Pass::kForward),
                issuer.matrix_precision(), operands(issuer, op));
}

void recurrent_backward(Issuer& issuer, const Op& op, const Rnn& rnn) {
  issuer.host("rnn");
  issuer.kernel("cudnn.rnn", fused_shape(issuer, op, rnn, Pass::kDgrad), issuer.matrix_precision(),
                operands(issuer, op));
  if (!op.trainable) return;
  issuer.kernel("cudnn.rnn", fused_shape(issuer, op, rnn, Pass::kWgrad), issuer.matrix_precision(),
                operands(issuer, op));
}

}  // namespace paceline::gpu
