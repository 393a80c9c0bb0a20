// What each kind of layer executes backward on a GPU.
#include "simulator/frameworks/gpu/gpu_layers.h"
#include "simulator/frameworks/gpu/gpu_operations.h"

namespace paceline::gpu {
namespace {

struct Backward {
  Issuer& i;
  const Op& op;

  std::int64_t out() const { return i.elements(op.output); }
  std::int64_t in(std::size_t k = 0) const { return i.elements(op.inputs[k]); }
  Bytes out_bytes() const { return i.bytes(op.output); }
  Bytes in_bytes(std::size_t k = 0) const { return i.bytes(op.inputs[k]); }
  std::vector<Operand> operands() const {
    std::vector<Operand> all = {i.gradient(op.output)};
    for (const TensorId input : op.inputs) {
      all.push_back(i.activation(input));
      all.push_back(i.gradient(input));
    }
    return all;
  }
  // Reads the gradient of the output and `kept` of the first input, writes its gradient.
  void pointwise(const char* name, const char* host, double kept,
                 StreamKind kind = StreamKind::kElementwise, std::int64_t row = 0) const {
    i.host(host);
    i.stream(name, std::max(in(), out()), {out_bytes() + kept * in_bytes(), in_bytes()}, operands(),
             kind, row);
    i.deliver_gradient(op.inputs[0]);
  }
  void bias_gradient(std::int64_t features) const {
    i.stream("bias_backward", out(), {out_bytes(), Bytes(4.0 * static_cast<double>(features))},
             {i.gradient(op.output)});
  }
  void products(Pass pass, bool linear) const {
    for (const KernelShape& shape : pass_kernels(i.graph(), op, pass)) {
      std::vector<Operand> touched = operands();
      if (linear) touched.push_back(weight_operand(i, op));
      i.kernel("cublas.gemm", shape, i.matrix_precision(i.runs_in_fp8(op)), std::move(touched));
    }
  }

  void operator()(const Linear& linear) const {
    i.host("linear");
    i.quantize(op, op.output, i.gradient(op.output));
    products(Pass::kDgrad, true);
    products(Pass::kWgrad, true);
    // Quantizing the gradient sums it on the way (fp8_cast_transpose_bgrad_fused).
    if (linear.bias && op.trainable && !i.runs_in_fp8(op)) bias_gradient(linear.out_features);
    i.deliver_parameters(op);
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const ExpertLinear&) const {
    i.host("linear");
    i.quantize(op, op.output, i.gradient(op.output));
    products(Pass::kDgrad, true);
    products(Pass::kWgrad, true);
    i.deliver_parameters(op);
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const Matmul&) const {
    i.host("matmul");
    products(Pass::kDgrad, false);
    for (const TensorId operand : op.inputs) i.deliver_gradient(operand);
  }
  void operator()(const Attention&) const {
    i.host("attention");
    i.kernel("flash.attention", attention_shape(i, op, Pass::kDgrad), i.matrix_precision(),
             operands());
    for (const TensorId operand : op.inputs) i.deliver_gradient(operand);
  }
  void operator()(const Conv2d& conv) const { convolution(conv.bias, conv.out_channels); }
  void operator()(const ConvTranspose2d& conv) const { convolution(conv.bias, conv.out_channels); }
  void convolution(bool bias, std::int64_t channels) const {
    i.host("convolution");
    for (const Pass pass : {Pass::kDgrad, Pass::kWgrad}) {
      transpose_images(i, op, pass);
      for (const KernelShape& shape : convolution_shapes(i, op, pass)) {
        std::vector<Operand> touched = operands();
        touched.push_back(weight_operand(i, op));
        i.kernel("cudnn.convolution", shape, i.matrix_precision(), std::move(touched));
      }
    }
    if (bias && op.trainable) bias_gradient(channels);
    i.deliver_parameters(op);
    i.deliver_gradient(op.inputs[0]);
  }
  // Batch normalisation reads input and gradient twice, for the two sums and for the result.
  void operator()(const Norm& norm) const {
    const bool rows = norm.kind == Normalization::kLayer || norm.kind == Normalization::kRms;
    if (rows) {
      pointwise("norm_backward", "norm", 1, StreamKind::kNormalizationBackward, norm.features);
    } else {
      i.host("batch_norm");
      i.stream("batch_norm_backward", in(), {2 * (in_bytes() + out_bytes()), in_bytes()},
               operands());
      i.deliver_gradient(op.inputs[0]);
    }
    i.deliver_parameters(op);
  }
  void operator()(const LocalResponseNorm&) const { pointwise("lrn_backward", "norm", 3); }
  void operator()(const Activate&) const { pointwise("activation_backward", "pointwise", 1); }
  void operator()(const Pool2d& pool) const {
    const bool indices = pool.kind == Pooling::kMax && !pool.global;
    i.host("pool");
    if (indices) transpose_pool_gradient(i, op);
    const Bytes read = out_bytes() + (indices ? static_cast<double>(out()) * Bytes(8) : Bytes(0));
    i.stream("pool_backward", std::max(in(), out()), {read, in_bytes()}, operands());
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const Upsample2d&) const { pointwise("upsample_backward", "pointwise", 0); }
  void operator()(const Softmax&) const {
    pointwise("softmax_backward", "softmax", 1, StreamKind::kSoftmax,
              i.last_dimension(op.inputs[0]));
  }
  void operator()(const Dropout& dropout) const {
    if (dropout.probability <= 0) {
      i.deliver_gradient(op.inputs[0]);
      return;
    }
    i.host("dropout");
    const Bytes mask = static_cast<double>(out()) * Bytes(1);
    i.stream("dropout_backward", out(), {out_bytes() + mask, in_bytes()}, operands());
    i.deliver_gradient(op.inputs[0]);
  }
  // The gradient is passed on; that of a broadcast operand is summed over what was repeated.
  void operator()(const Add&) const {
    i.host("pointwise");
    for (const TensorId operand : op.inputs) {
      if (i.needs_gradient(operand) && i.elements(operand) != out()) {
        i.stream("sum", out(), {out_bytes(), i.bytes(operand)}, {i.gradient(op.output)});
      }
      i.deliver_gradient(operand);
    }
  }
  void operator()(const Multiply&) const {
    i.host("pointwise");
    for (const TensorId operand : op.inputs) {
      if (!i.needs_gradient(operand)) continue;
      i.stream("multiply", out(), {2 * out_bytes(), out_bytes()}, operands());
      if (i.elements(operand) != out()) {
        i.stream("sum", out(), {out_bytes(), i.bytes(operand)}, {i.gradient(op.output)});
      }
      i.deliver_gradient(operand);
    }
  }
  void operator()(const Scale&) const { pointwise("scale", "pointwise", 0); }
  void operator()(const CausalMask&) const { pointwise("mask_backward", "pointwise", 0); }
  void operator()(const Rotary&) const { pointwise("rotary_backward", "pointwise", 0); }
  void operator()(const Cast&) const { pointwise("cast", "cast", 0); }
  // Views of the gradient.
  void operator()(const Concat&) const {
    i.host("concat");
    for (const TensorId part : op.inputs) i.deliver_gradient(part);
  }
  void operator()(const Reshape&) const {
    i.host("view");
    if (!i.graph().tensor(op.output).alias_of) {
      i.stream("copy", out(), {out_bytes(), in_bytes()}, operands());
    }
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const Permute&) const { pass_on(); }
  void operator()(const Expand&) const {
    i.host("view");
    i.stream("sum", out(), {out_bytes(), in_bytes()}, operands());
    i.deliver_gradient(op.inputs[0]);
  }
  void pass_on() const {
    i.host("view");
    if (!i.record().execution.strided_views) {
      i.stream("copy", out(), {out_bytes(), out_bytes()}, operands());
    }
    i.deliver_gradient(op.inputs[0]);
  }
  // The slices of one tensor are gathered at once, when the last of them is reached.
  void operator()(const Slice&) const {
    i.host("view");
    if (!i.is_first_slice(op)) return;
    i.stream("concat", in(), {in_bytes(), in_bytes()}, operands());
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const Gather&) const { scatter("gather_backward"); }
  void operator()(const ScatterAdd&) const { scatter("scatter_backward"); }
  void operator()(const RoiAlign&) const { scatter("roi_align_backward"); }
  void operator()(const TopK&) const { scatter("top_k_backward"); }
  void scatter(const char* name) const {
    i.host("embedding");
    i.stream("fill", in(), {Bytes(0), in_bytes()}, operands());
    i.stream(name, out(), {2 * out_bytes(), out_bytes()}, operands(), StreamKind::kGather);
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const Mean&) const { pointwise("mean_backward", "pointwise", 0); }
  // A dense gradient: zeros, then the rows that occurred are added to it; or, with the processor,
  // these rows alone.
  void operator()(const Embedding& embedding) const {
    const std::int64_t table = embedding.rows * embedding.width;
    const Bytes size = static_cast<double>(table) * Bytes(4);
    i.host("embedding");
    if (is_host_embedding(i, op)) {
      i.wait_for_device();  // for the gradient that the processor adds to the table
      i.host_copy(*i.record().execution.host_embedding, out_bytes());
      i.deliver_parameters(op);
      return;
    }
    i.stream("fill", table, {Bytes(0), size}, {i.parameter_gradient(0, table)});
    i.stream("embedding_backward", out(), {2 * out_bytes(), out_bytes()}, {i.gradient(op.output)},
             StreamKind::kGather, embedding.width);
    i.deliver_parameters(op);
  }
  void operator()(const TrainableTensor&) const {
    i.host("parameter");
    i.deliver_parameters(op);
  }
  void operator()(const Rnn& rnn) const {
    recurrent_backward(i, op, rnn);
    i.deliver_parameters(op);
    i.deliver_gradient(op.inputs[0]);
  }
  // The gradient of the picked values is a tensor of zeros but for one value in each row.
  void operator()(const CrossEntropy&) const {
    i.host("loss");
    const Bytes scores = loss_bytes(i, op);
    i.stream("fill", in(), {Bytes(0), scores}, {i.gradient(op.inputs[0])});
    i.stream("log_softmax_backward", in(), {2 * scores, scores}, operands(), StreamKind::kSoftmax,
             i.last_dimension(op.inputs[0]));
    if (scores > in_bytes()) i.stream("loss_cast", in(), {scores, in_bytes()}, operands());
    i.deliver_gradient(op.inputs[0]);
  }
  void operator()(const Loss&) const {
    i.host("loss");
    for (const TensorId input : op.inputs) {
      if (!i.needs_gradient(input)) continue;
      i.stream("loss_backward", i.elements(input), {2 * i.bytes(input), i.bytes(input)},
               {i.activation(input), i.gradient(input)});
      i.deliver_gradient(input);
    }
  }
};

}  // namespace

void issue_backward(Issuer& issuer, const Op& op) {
  if (!issuer.needs_gradient(op.output)) return;
  if (issue_passes(issuer, op)) return;
  std::visit(Backward{issuer, op}, op.attributes);
}

}  // namespace paceline::gpu
