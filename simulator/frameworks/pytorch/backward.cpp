// What each kind of layer executes backward in PyTorch 1.13 on a CPU. Gradients of parameters are
// added to `.grad`, which exists because zero_grad(set_to_none=False) keeps it.
#include "simulator/frameworks/pytorch/issuer.h"

namespace paceline::pytorch {
namespace {

std::string activation_name(const Activate& activate) {
  switch (activate.kind) {
    case Activation::kSigmoid:
      return "aten.sigmoid_backward";
    case Activation::kTanh:
      return "aten.tanh_backward";
    case Activation::kGelu:
      return "aten.gelu_backward";
    default:
      return "aten.relu_backward";
  }
}

struct BackwardOnCpu {
  Issuer& i;
  const Op& op;

  std::int64_t out() const { return i.elements(op.output); }
  std::int64_t in(std::size_t k = 0) const { return i.elements(op.inputs[k]); }
  // The gradient of the output, made contiguous if the kernel needs it so.
  void need_contiguous_gradient() const {
    if (!i.gradient_is_contiguous(op.output)) i.stream("aten.copy", out(), 1, 1);
  }
  // The next kernel reads the gradient of the output and what forward has kept, and writes the
  // gradient of the first input.
  void touching(std::vector<Operand> kept) const {
    kept.push_back(i.gradient(op.output));
    kept.push_back(i.gradient(op.inputs[0]));
    i.touching(std::move(kept));
  }
  // One gradient per element of one input.
  void pointwise(const std::string& name, double read, std::vector<Operand> kept,
                 std::int64_t row = 0) const {
    touching(std::move(kept));
    i.stream(name, in(), read, 1, row);
    i.deliver_gradient(op.inputs[0]);
  }

  void operator()(const Linear& linear) const {
    i.host("linear");
    need_contiguous_gradient();
    for (const Pass pass : {Pass::kDgrad, Pass::kWgrad}) {
      for (const KernelShape& shape : pass_kernels(i.graph(), op, pass)) {
        const bool input = pass == Pass::kDgrad;
        touching({input ? i.parameter(0, linear.in_features * linear.out_features)
                        : i.activation(op.inputs[0])});
        i.kernel("openblas.sgemm", shape);
      }
    }
    if (op.trainable) {
      if (linear.bias) i.stream("aten.sum", out(), 1, 0, linear.out_features);
      if (op.sharing != Sharing::kNone) {  // the engine sums the uses of a shared weight
        i.stream("aten.add", linear.in_features * linear.out_features, 2, 1);
      }
      i.accumulate(parameter_sizes(op));
    }
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const Matmul&) const {
    i.host("matmul");
    need_contiguous_gradient();
    i.matrix_products(pass_kernels(i.graph(), op, Pass::kDgrad));
    for (const TensorId operand : op.inputs) i.deliver_gradient(operand);
  }
  void operator()(const Conv2d& conv) const { convolution_backward(i, op, conv); }
  void operator()(const Norm& norm) const {
    const bool batch = norm.kind == Normalization::kBatch;
    i.host(batch ? "batch_norm" : "layer_norm");
    pointwise(batch ? "aten.batch_norm_backward" : "aten.layer_norm_backward", 2,
              {i.activation(op.inputs[0])}, batch ? i.row_of_channel(op.inputs[0]) : norm.features);
    if (op.trainable) i.accumulate(parameter_sizes(op));
  }
  void operator()(const Activate& activate) const {
    i.host("pointwise");
    pointwise(activation_name(activate), 2, {i.activation(op.output)});
  }
  void operator()(const Pool2d& pool) const {
    i.host("pool");
    touching({});
    if (pool.global) {
      i.stream("aten.mean_backward", in(), 0, 1, in() / out());
    } else {
      const bool max = pool.kind == Pooling::kMax;
      i.kernel(max ? "aten.max_pool_backward" : "aten.avg_pool_backward",
               StreamShape{.elements = in(),
                           .read = (max ? 12.0 : 4.0) * static_cast<double>(out()) * Bytes(1),
                           .written = 4.0 * static_cast<double>(in()) * Bytes(1),
                           .row = pool.kernel_h * pool.kernel_w});
    }
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const Softmax&) const {
    i.host("softmax");
    pointwise("aten.softmax_backward", 2, {i.activation(op.output)},
              i.last_dimension(op.inputs[0]));
  }
  void operator()(const Dropout& dropout) const {
    if (dropout.probability > 0) {
      i.host("dropout");
      pointwise("aten.mul", 2, {});
    } else {
      i.deliver_gradient(op.inputs[0]);
    }
  }
  // The gradient is passed on; that of a broadcast operand is summed over what was repeated.
  void operator()(const Add&) const {
    i.host("pointwise");
    for (const TensorId operand : op.inputs) {
      if (i.needs_gradient(operand) && i.elements(operand) != out()) {
        i.stream("aten.sum", out(), 1, 0, i.elements(operand));
      }
      i.pass_gradient(op.output, operand);
      i.deliver_gradient(operand);
    }
  }
  void operator()(const Multiply&) const {
    i.host("pointwise");
    for (const TensorId operand : op.inputs) {
      if (!i.needs_gradient(operand)) continue;
      i.stream("aten.mul", out(), 2, 1);
      if (i.elements(operand) != out()) i.stream("aten.sum", out(), 1, 0, i.elements(operand));
      i.deliver_gradient(operand);
    }
  }
  void operator()(const Scale&) const {
    i.host("pointwise");
    pointwise("aten.mul_scalar", 1, {});
  }
  // Views of the gradient, which whoever consumes them copies.
  void operator()(const Concat&) const {
    i.host("concat");
    for (const TensorId part : op.inputs) i.deliver_gradient(part, false);
  }
  void operator()(const Reshape&) const {
    i.host("view");
    need_contiguous_gradient();
    i.pass_gradient(op.output, op.inputs[0]);
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const Permute&) const {
    i.host("view");
    i.pass_gradient(op.output, op.inputs[0]);
    i.deliver_gradient(op.inputs[0], !i.gradient_is_contiguous(op.output));
  }
  // The slices of one tensor (unbind) are gathered at once, when the last of them is reached.
  void operator()(const Slice&) const {
    i.host("view");
    if (i.is_first_slice(op)) {
      touching({});
      i.stream("aten.cat", in(), 1, 1);
      i.deliver_gradient(op.inputs[0]);
    }
  }
  void operator()(const Embedding& embedding) const {
    i.host("embedding");
    i.stream("aten.fill", embedding.rows * embedding.width, 0, 1);
    i.stream("aten.embedding_backward", out(), 2, 1, embedding.width);
    i.accumulate(parameter_sizes(op));
  }
  void operator()(const TrainableTensor&) const {
    i.host("parameter");
    i.accumulate(parameter_sizes(op));
  }
  void operator()(const Rnn& rnn) const { lstm_backward(i, op, rnn); }
  void operator()(const CrossEntropy&) const {
    i.host("cross_entropy");
    i.stream("aten.fill", in(), 0, 1);
    pointwise("aten.log_softmax_backward", 2, {}, i.last_dimension(op.inputs[0]));
  }
  // mse_loss_backward: zeros, then one pass over prediction and target.
  void operator()(const Loss&) const {
    i.host("pointwise", 2);
    i.stream("aten.fill", in(), 0, 1);
    pointwise("aten.mul", 2, {i.activation(op.inputs[0]), i.activation(op.inputs[1])});
  }
  template <typename Other>
  void operator()(const Other&) const {
    refuse(i, op, "of kind " + std::string(kind_name(op.attributes)));
  }
};

}  // namespace

void issue_backward(Issuer& issuer, const Op& op) {
  if (!issuer.needs_gradient(op.output)) return;
  std::visit(BackwardOnCpu{issuer, op}, op.attributes);
}

}  // namespace paceline::pytorch
