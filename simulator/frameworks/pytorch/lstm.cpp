// nn.LSTM of PyTorch 1.13 on a CPU: the input product of all steps at once, then per step one
// OpenBLAS product and separate pointwise kernels; backward step by step in reverse.
#include "simulator/frameworks/pytorch/issuer.h"

namespace paceline::pytorch {
namespace {

struct Sizes {
  std::int64_t steps, batch, hidden, gates;  // gates: length of the four gates together
  std::int64_t cell() const { return batch * hidden; }
};

Sizes sizes_of(const Issuer& i, const Op& op, const Rnn& rnn) {
  if (rnn.cell != RnnCell::kLstm) refuse(i, op, "a recurrent layer other than LSTM");
  if (rnn.bidirectional) refuse(i, op, "a bidirectional LSTM");
  if (rnn.bias_sets != 2) refuse(i, op, "an LSTM with one bias vector per gate");
  const auto& x = i.graph().shape(op.inputs[0]).dims;
  return {x[0], x[1], rnn.hidden, 4 * rnn.hidden};
}

std::int64_t input_width(const Rnn& rnn, std::int64_t layer) {
  return layer == 0 ? rnn.input : rnn.hidden;
}

void layer_forward(Issuer& i, const Sizes& s, std::int64_t width) {
  i.host("linear");
  i.stream("aten.copy", s.steps * s.batch * s.gates, 0, 1);  // the bias, into every row
  i.kernel("openblas.sgemm",
           GemmShape{.m = s.gates, .n = s.steps * s.batch, .k = width, .trans_a = true});
  i.host("lstm_step", static_cast<double>(s.steps));
  i.stream("aten.copy", s.batch * s.gates, 0, 1, 0, s.steps);
  i.kernel("openblas.sgemm", GemmShape{.m = s.gates, .n = s.batch, .k = s.hidden, .trans_a = true},
           s.steps);
  i.stream("aten.add_", s.batch * s.gates, 2, 1, 0, s.steps);
  i.stream("aten.sigmoid", s.cell(), 1, 1, 0, 3 * s.steps);
  i.stream("aten.tanh", s.cell(), 1, 1, 0, 2 * s.steps);  // candidate and cell
  i.stream("aten.mul", s.cell(), 2, 1, 0, 3 * s.steps);
  i.stream("aten.add_", s.cell(), 2, 1, 0, s.steps);
  i.stream("aten.cat", s.steps * s.cell(), 1, 1);
}

void layer_backward(Issuer& i, const Sizes& s, std::int64_t layer, std::int64_t width,
                    bool input_gradient) {
  const std::int64_t later = s.steps - 1;  // all steps but the first have a predecessor
  i.host("lstm_step", static_cast<double>(s.steps));
  i.stream("aten.mul", s.cell(), 2, 1, 0, 5 * s.steps + later);
  i.stream("aten.tanh_backward", s.cell(), 2, 1, 0, 2 * s.steps);
  i.stream("aten.sigmoid_backward", s.cell(), 2, 1, 0, 3 * s.steps);
  i.stream("aten.cat", s.batch * s.gates, 1, 1, 0, s.steps);
  i.kernel("openblas.sgemm", GemmShape{.m = s.hidden, .n = s.batch, .k = s.gates}, later);
  i.kernel("openblas.sgemm", GemmShape{.m = s.hidden, .n = s.gates, .k = s.batch, .trans_b = true},
           s.steps);
  i.stream("aten.sum", s.batch * s.gates, 1, 0, s.gates, s.steps);
  // The engine sums what every step contributes: states, and the whole recurrent weight and bias.
  i.stream("aten.add", s.cell(), 2, 1, 0, 2 * later);
  i.stream("aten.add", s.gates, 2, 1, 0, later);
  i.stream("aten.add", s.gates * s.hidden, 2, 1, 0, later);
  i.stream("aten.cat", s.steps * s.batch * s.gates, 1, 1);
  i.host("linear");
  if (input_gradient) {
    i.kernel("openblas.sgemm", GemmShape{.m = width, .n = s.steps * s.batch, .k = s.gates});
  }
  i.kernel("openblas.sgemm",
           GemmShape{.m = width, .n = s.gates, .k = s.steps * s.batch, .trans_b = true});
  i.stream("aten.sum", s.steps * s.batch * s.gates, 1, 0, s.gates);
  const std::vector<std::int64_t> sizes = {s.gates * width, s.gates * s.hidden, s.gates, s.gates};
  i.accumulate(sizes, static_cast<std::size_t>(layer) * sizes.size());
}

}  // namespace

void lstm_forward(Issuer& i, const Op& op, const Rnn& rnn) {
  const Sizes sizes = sizes_of(i, op, rnn);
  for (std::int64_t layer = 0; layer < rnn.layers; ++layer) {
    layer_forward(i, sizes, input_width(rnn, layer));
  }
}

void lstm_backward(Issuer& i, const Op& op, const Rnn& rnn) {
  const Sizes sizes = sizes_of(i, op, rnn);
  for (std::int64_t layer = rnn.layers; layer-- > 0;) {
    layer_backward(i, sizes, layer, input_width(rnn, layer),
                   layer > 0 || i.needs_gradient(op.inputs[0]));
  }
  i.deliver_gradient(op.inputs[0]);
}

}  // namespace paceline::pytorch
