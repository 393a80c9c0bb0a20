// What each kind of layer executes forward on a GPU. Traffic in tensors read and written:
// docs/models/gpu-memory.md.
#include "core/error.h"
#include "simulator/frameworks/gpu/gpu_layers.h"
#include "simulator/frameworks/gpu/gpu_operations.h"

namespace paceline::gpu {
namespace {

struct Forward {
  Issuer& i;
  const Op& op;

  std::int64_t out() const { return i.elements(op.output); }
  std::int64_t in(std::size_t k = 0) const { return i.elements(op.inputs[k]); }
  Bytes out_bytes() const { return i.bytes(op.output); }
  Bytes in_bytes(std::size_t k = 0) const { return i.bytes(op.inputs[k]); }
  std::vector<Operand> operands() const {
    std::vector<Operand> all = {i.activation(op.output)};
    for (const TensorId input : op.inputs) all.push_back(i.activation(input));
    return all;
  }
  // Every input once (a broadcast operand stays in the cache but is read), the output once.
  void pointwise(const char* name, const char* host, StreamKind kind = StreamKind::kElementwise,
                 std::int64_t row = 0) const {
    i.host(host);
    Bytes read;
    for (const TensorId input : op.inputs) read += i.bytes(input);
    i.stream(name, out(), {read, out_bytes()}, operands(), kind, row);
  }
  void products(bool linear) const {
    for (const KernelShape& shape : pass_kernels(i.graph(), op, Pass::kForward)) {
      std::vector<Operand> touched = operands();
      if (linear) touched.push_back(weight_operand(i, op));
      i.kernel("cublas.gemm", shape, i.matrix_precision(i.runs_in_fp8(op)), std::move(touched));
    }
  }

  void operator()(const Linear& linear) const {
    i.cast_parameters(op);
    i.host("linear");
    copy_strided_operands(i, op);
    quantize_operands();
    products(true);
    if (linear.bias && !i.record().fused_bias) {
      i.stream("bias", out(), {out_bytes(), out_bytes()}, {i.activation(op.output)});
    }
  }
  void operator()(const ExpertLinear&) const {
    i.cast_parameters(op);
    i.host("linear");
    quantize_operands();
    products(true);
  }
  void quantize_operands() const {
    i.quantize(op, op.inputs[0], i.activation(op.inputs[0]));
    i.quantize_weights(op);
  }
  void operator()(const Matmul&) const {
    i.host("matmul");
    copy_strided_operands(i, op);
    products(false);
  }
  void operator()(const Attention&) const {
    i.host("attention");
    i.kernel("flash.attention", attention_shape(i, op, Pass::kForward), i.matrix_precision(),
             operands());
  }
  void operator()(const Conv2d& conv) const { convolution(conv.bias); }
  void operator()(const ConvTranspose2d& conv) const { convolution(conv.bias); }
  void convolution(bool bias) const {
    i.cast_parameters(op);
    i.host("convolution");
    transpose_images(i, op, Pass::kForward);
    for (const KernelShape& shape : convolution_shapes(i, op, Pass::kForward)) {
      std::vector<Operand> touched = operands();
      touched.push_back(weight_operand(i, op));
      i.kernel("cudnn.convolution", shape, i.matrix_precision(), std::move(touched));
    }
    if (bias) i.stream("bias", out(), {out_bytes(), out_bytes()}, {i.activation(op.output)});
  }
  // Batch normalisation reads twice, for the statistics and for the result.
  void operator()(const Norm& norm) const {
    const bool rows = norm.kind == Normalization::kLayer || norm.kind == Normalization::kRms;
    if (rows) {
      pointwise("norm", "norm", StreamKind::kNormalization, norm.features);
      return;
    }
    i.host("batch_norm");
    i.stream("batch_norm", out(), {2 * in_bytes(), out_bytes()}, operands());
  }
  // Squares of `size` neighbours come from the cache; the scale is kept for backward.
  void operator()(const LocalResponseNorm&) const {
    i.host("norm");
    i.stream("lrn", out(), {2 * in_bytes(), 2 * out_bytes()}, operands());
  }
  void operator()(const Activate&) const { pointwise("activation", "pointwise"); }
  void operator()(const Pool2d& pool) const {
    const bool indices = pool.kind == Pooling::kMax && !pool.global;  // kept for backward, 8 bytes
    i.host("pool");
    const Bytes written =
        out_bytes() + (indices ? static_cast<double>(out()) * Bytes(8) : Bytes(0));
    i.stream(pool.global ? "mean" : "pool", std::max(in(), out()), {in_bytes(), written},
             operands());
  }
  void operator()(const Upsample2d&) const { pointwise("upsample", "pointwise"); }
  void operator()(const Softmax&) const {
    pointwise("softmax", "softmax", StreamKind::kSoftmax, i.last_dimension(op.inputs[0]));
  }
  // The mask is a byte per element.
  void operator()(const Dropout& dropout) const {
    if (dropout.probability <= 0 || i.setting("phases") == "forward") return;
    i.host("dropout");
    i.stream("dropout", out(), {in_bytes(), out_bytes() + static_cast<double>(out()) * Bytes(1)},
             operands());
  }
  void operator()(const Add&) const { pointwise("add", "pointwise"); }
  void operator()(const Multiply&) const { pointwise("multiply", "pointwise"); }
  void operator()(const Scale&) const { pointwise("scale", "pointwise"); }
  void operator()(const CausalMask&) const { pointwise("mask", "pointwise"); }
  void operator()(const Rotary&) const { pointwise("rotary", "pointwise"); }
  void operator()(const Cast&) const { pointwise("cast", "cast"); }
  void operator()(const Concat&) const { pointwise("concat", "concat"); }
  void operator()(const Reshape&) const { view_or_copy(); }
  void operator()(const Permute&) const { strided_view(); }
  void operator()(const Slice&) const { strided_view(); }
  void operator()(const Expand&) const { strided_view(); }
  void strided_view() const {
    i.host("view");
    if (i.record().execution.strided_views) return;
    i.stream("copy", out(), {out_bytes(), out_bytes()}, operands());
  }
  void view_or_copy() const {
    i.host("view");
    if (i.graph().tensor(op.output).alias_of) return;
    i.stream("copy", out(), {in_bytes(), out_bytes()}, operands());
  }
  void operator()(const Gather&) const { gather("gather"); }
  void operator()(const ScatterAdd&) const { gather("scatter"); }
  void operator()(const RoiAlign&) const { gather("roi_align"); }
  void gather(const char* name) const {
    i.host("embedding");
    i.stream(name, out(), {out_bytes(), out_bytes()}, operands(), StreamKind::kGather);
  }
  void operator()(const TopK&) const {
    pointwise("top_k", "softmax", StreamKind::kSoftmax, i.last_dimension(op.inputs[0]));
  }
  void operator()(const Mean&) const { pointwise("mean", "pointwise"); }
  void operator()(const Embedding& embedding) const {
    i.host("embedding");
    if (is_host_embedding(i, op)) {
      i.host_copy(*i.record().execution.host_embedding, out_bytes());
      return;
    }
    i.stream("embedding", out(), {in_bytes() + out_bytes(), out_bytes()}, operands(),
             StreamKind::kGather, embedding.width);
  }
  void operator()(const TrainableTensor&) const {}
  void operator()(const Rnn& rnn) const {
    i.cast_parameters(op);
    recurrent_forward(i, op, rnn);
  }
  // Logarithm of the softmax, in fp32 whatever the scores are stored in; picking one value per row
  // costs no more than its dispatch. Inference has no loss.
  void operator()(const CrossEntropy&) const {
    if (i.setting("phases") == "forward") return;
    i.host("loss");
    const Bytes scores = loss_bytes(i, op);
    if (scores > in_bytes()) i.stream("loss_cast", in(), {in_bytes(), scores}, operands());
    i.stream("log_softmax", in(), {scores, scores}, operands(), StreamKind::kSoftmax,
             i.last_dimension(op.inputs[0]));
  }
  void operator()(const Loss&) const {
    if (i.setting("phases") != "forward") pointwise("loss", "loss");
  }
};

}  // namespace

void issue_forward(Issuer& issuer, const Op& op) {
  if (issue_passes(issuer, op)) return;
  std::visit(Forward{issuer, op}, op.attributes);
}

}  // namespace paceline::gpu
