// What each kind of layer executes forward in PyTorch 1.13 on a CPU: ATen's own kernels on plain
// tensors, OpenBLAS for matrix products.
#include "simulator/frameworks/pytorch/issuer.h"

namespace paceline::pytorch {
namespace {

std::string activation_name(const Issuer& issuer, const Op& op, const Activate& activate) {
  switch (activate.kind) {
    case Activation::kRelu:
      return activate.in_place ? "aten.relu_" : "aten.relu";
    case Activation::kSigmoid:
      return "aten.sigmoid";
    case Activation::kTanh:
      return "aten.tanh";
    case Activation::kGelu:
      return "aten.gelu";
    default:
      refuse(issuer, op, "an activation other than ReLU, sigmoid, tanh and GELU");
  }
}

struct ForwardOnCpu {
  Issuer& i;
  const Op& op;

  std::int64_t out() const { return i.elements(op.output); }
  std::int64_t in(std::size_t k = 0) const { return i.elements(op.inputs[k]); }
  // The next kernel reads the inputs and writes the output.
  void touching_all() const {
    std::vector<Operand> operands = {i.activation(op.output)};
    for (const TensorId input : op.inputs) operands.push_back(i.activation(input));
    i.touching(std::move(operands));
  }

  void operator()(const Linear& linear) const {
    i.host("linear");
    i.copy_operands(op);
    if (linear.bias) i.stream("aten.copy", out(), 0, 1);
    for (const KernelShape& shape : pass_kernels(i.graph(), op, Pass::kForward)) {
      i.touching({i.parameter(0, linear.in_features * linear.out_features),
                  i.activation(op.inputs[0]), i.activation(op.output)});
      i.kernel("openblas.sgemm", shape);
    }
  }
  // One library call per matrix of the batch.
  void operator()(const Matmul&) const {
    i.host("matmul");
    i.copy_operands(op);
    i.matrix_products(pass_kernels(i.graph(), op, Pass::kForward));
  }
  void operator()(const Conv2d& conv) const { convolution_forward(i, op, conv); }
  void operator()(const Norm& norm) const {
    if (norm.kind == Normalization::kBatch) {
      i.host("batch_norm");
      touching_all();
      i.stream("aten.batch_norm", in(), 1, 1, i.row_of_channel(op.inputs[0]));
    } else if (norm.kind == Normalization::kLayer) {
      i.host("layer_norm");
      touching_all();
      i.stream("aten.layer_norm", in(), 1, 1, norm.features);
    } else {
      refuse(i, op, "a normalisation other than batch and layer");
    }
  }
  void operator()(const Activate& activate) const {
    i.host("pointwise");
    touching_all();
    i.stream(activation_name(i, op, activate), in(), 1, 1);
  }
  // Times of pooling follow the outputs; max-pooling also writes 8-byte indices.
  void operator()(const Pool2d& pool) const {
    i.host("pool");
    if (pool.global) {
      touching_all();
      i.stream("aten.mean", in(), 1, 0, in() / out());
      return;
    }
    const bool max = pool.kind == Pooling::kMax;
    touching_all();
    i.kernel(max ? "aten.max_pool" : "aten.avg_pool",
             StreamShape{.elements = out(),
                         .read = 4.0 * static_cast<double>(in()) * Bytes(1),
                         .written = (max ? 12.0 : 4.0) * static_cast<double>(out()) * Bytes(1),
                         .row = pool.kernel_h * pool.kernel_w});
  }
  void operator()(const Softmax&) const {
    i.host("softmax");
    touching_all();
    i.stream("aten.softmax", in(), 1, 1, i.last_dimension(op.inputs[0]));
  }
  // Random mask, scaled, times the input.
  void operator()(const Dropout& dropout) const {
    if (dropout.probability <= 0) return;
    i.host("dropout");
    i.stream("aten.bernoulli", in(), 0, 1);
    i.stream("aten.mul_scalar", in(), 1, 1);
    i.stream("aten.mul", in(), 2, 1);
  }
  void operator()(const Add& add) const {
    i.host("pointwise");
    const double read = in(1) == out() ? 2 : 1;  // a broadcast operand stays in the cache
    touching_all();
    i.stream(add.in_place ? "aten.add_" : "aten.add", out(), read, 1);
  }
  void operator()(const Multiply&) const {
    i.host("pointwise");
    touching_all();
    i.stream("aten.mul", out(), in(1) == out() ? 2 : 1, 1);
  }
  void operator()(const Scale&) const {
    i.host("pointwise");
    touching_all();
    i.stream("aten.mul_scalar", out(), 1, 1);
  }
  void operator()(const Concat&) const {
    i.host("concat");
    touching_all();
    i.stream("aten.cat", out(), 1, 1);
  }
  void operator()(const Reshape&) const {
    i.host("view");
    const bool copies = !i.graph().tensor(op.output).alias_of;
    if (!copies) return;
    touching_all();
    i.stream("aten.copy", out(), 1, 1);
  }
  void operator()(const Permute&) const { i.host("view"); }
  void operator()(const Slice&) const { i.host("view"); }
  void operator()(const Expand&) const { i.host("view"); }
  void operator()(const Embedding& embedding) const {
    i.host("embedding");
    touching_all();
    i.stream("aten.embedding", out(), 1, 1, embedding.width);
  }
  void operator()(const TrainableTensor&) const {}
  void operator()(const Rnn& rnn) const { lstm_forward(i, op, rnn); }
  // The loss itself gathers one value per row, which costs no more than its dispatch.
  void operator()(const CrossEntropy&) const {
    i.host("cross_entropy");
    touching_all();
    i.stream("aten.log_softmax", in(), 1, 1, i.last_dimension(op.inputs[0]));
  }
  // mse_loss: the squared differences, two reads and a write as in a product, then their mean.
  void operator()(const Loss& loss) const {
    if (loss.kind != LossKind::kMeanSquaredError)
      refuse(i, op, "another loss than the mean square");
    i.host("pointwise");
    touching_all();
    i.stream("aten.mul", in(), 2, 1);
    i.host("pointwise");
    i.stream("aten.sum", in(), 1, 0, in());
  }
  template <typename Other>
  void operator()(const Other&) const {
    refuse(i, op, "of kind " + std::string(kind_name(op.attributes)));
  }
};

}  // namespace

void issue_forward(Issuer& issuer, const Op& op) {
  std::visit(ForwardOnCpu{issuer, op}, op.attributes);
}

}  // namespace paceline::pytorch
