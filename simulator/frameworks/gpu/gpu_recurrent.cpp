// Recurrent layers on a GPU: fused into one cuDNN call, or step by step as frameworks without a
// fused layer run them: a product of the state with the packed recurrent weights, and one
// elementwise kernel for the gates, for every step, layer and direction.
#include "simulator/frameworks/gpu/gpu_layers.h"

namespace paceline::gpu {
namespace {

struct Sizes {
  std::int64_t steps, batch, gates, directions;
};

Sizes sizes_of(const Issuer& issuer, const Op& op, const Rnn& rnn) {
  const auto& x = issuer.graph().shape(op.inputs[0]).dims;
  return {x[0], x[1], gate_count(rnn.cell), rnn.bidirectional ? 2 : 1};
}

// cuDNN's persistent kernels, under the conditions on which PyTorch asks for them.
bool is_persistent(const Issuer& issuer, const Rnn& rnn) {
  constexpr std::int64_t kLargest = 1024, kMultiple = 128;
  return issuer.record().persistent_rnn && element_size(issuer.matrix_precision()) == Bytes(2) &&
         rnn.layers == 1 && rnn.hidden <= kLargest && rnn.hidden % kMultiple == 0 &&
         rnn.input % kMultiple == 0;
}

RnnShape fused_shape(const Issuer& issuer, const Op& op, const Rnn& rnn, Pass pass) {
  const Sizes sizes = sizes_of(issuer, op, rnn);
  return {.pass = pass,
          .gates = sizes.gates,
          .input = rnn.input,
          .hidden = rnn.hidden,
          .batch = sizes.batch,
          .steps = sizes.steps,
          .layers = rnn.layers,
          .bidirectional = rnn.bidirectional,
          .persistent = pass != Pass::kWgrad && is_persistent(issuer, rnn)};
}

std::vector<Operand> operands(const Issuer& issuer, const Op& op) {
  return {issuer.activation(op.inputs[0]), issuer.activation(op.output),
          weight_operand(issuer, op)};
}

// Gates of one step: everything that is not a product, in one kernel.
void cell(Issuer& issuer, const Sizes& sizes, const Rnn& rnn, double passes) {
  const std::int64_t state = sizes.batch * rnn.hidden;
  const Bytes tensor = static_cast<double>(state) * element_size(issuer.matrix_precision());
  const double gates = static_cast<double>(sizes.gates);
  issuer.kernel("rnn.cell",
                StreamShape{.elements = state * sizes.gates,
                            .read = passes * (gates + 1) * tensor,
                            .written = passes * (gates + 1) * tensor},
                Precision::kFp32, {}, sizes.steps * sizes.directions);
}

void products(Issuer& issuer, const Op& op, const Rnn& rnn, Pass pass) {
  const Sizes sizes = sizes_of(issuer, op, rnn);
  for (const KernelShape& shape : pass_kernels(issuer.graph(), op, pass)) {
    issuer.kernel("cublas.gemm", shape, issuer.matrix_precision(), operands(issuer, op));
  }
  if (pass == Pass::kWgrad) return;
  for (std::int64_t layer = 0; layer < rnn.layers; ++layer) {
    cell(issuer, sizes, rnn, pass == Pass::kForward ? 1 : 2);
  }
}

double steps_of_all_layers(const Issuer& issuer, const Op& op, const Rnn& rnn) {
  const Sizes sizes = sizes_of(issuer, op, rnn);
  return static_cast<double>(sizes.steps * sizes.directions * rnn.layers);
}

}  // namespace

void recurrent_forward(Issuer& issuer, const Op& op, const Rnn& rnn) {
  if (issuer.record().fused_rnn) {
    issuer.host("rnn");
    issuer.kernel("cudnn.rnn", fused_shape(issuer, op, rnn, Pass::kForward),
                  issuer.matrix_precision(), operands(issuer, op));
    return;
  }
  issuer.host("rnn_step", steps_of_all_layers(issuer, op, rnn));
  products(issuer, op, rnn, Pass::kForward);
}

void recurrent_backward(Issuer& issuer, const Op& op, const Rnn& rnn) {
  if (issuer.record().fused_rnn) {
    issuer.host("rnn");
    issuer.kernel("cudnn.rnn", fused_shape(issuer, op, rnn, Pass::kDgrad),
                  issuer.matrix_precision(), operands(issuer, op));
    if (op.trainable) {
      issuer.kernel("cudnn.rnn", fused_shape(issuer, op, rnn, Pass::kWgrad),
                    issuer.matrix_precision(), operands(issuer, op));
    }
    return;
  }
  issuer.host("rnn_step", steps_of_all_layers(issuer, op, rnn));
  products(issuer, op, rnn, Pass::kDgrad);
  if (op.trainable) products(issuer, op, rnn, Pass::kWgrad);
}

}  // namespace paceline::gpu
