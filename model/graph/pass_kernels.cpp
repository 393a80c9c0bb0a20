// work.h: the matrix and convolution kernels of each pass.
//
// Our tensors are row-major and BLAS is column-major, so a row-major C = A B is called as
// C^T = B^T A^T: the operands swap and every stored matrix appears transposed for free.
#include "model/graph/work.h"

namespace paceline {
namespace {

using Kernels = std::vector<KernelShape>;

// y[rows x out] = x[rows x in] W[out x in]^T
GemmShape linear_gemm(Pass pass, std::int64_t rows, std::int64_t in, std::int64_t out) {
  switch (pass) {
    case Pass::kForward:
      return {.m = out, .n = rows, .k = in, .trans_a = true};
    case Pass::kDgrad:
      return {.m = in, .n = rows, .k = out};
    case Pass::kWgrad:
      break;
  }
  return {.m = in, .n = out, .k = rows, .trans_b = true};
}

// The two sides of y[m x n] = op(a) op(b), and the gradients of a and b in the form they are
// stored.
struct BatchedMatmul {
  std::int64_t m, n, k, batch;
  bool ta, tb;

  GemmShape forward() const {
    return {.m = n, .n = m, .k = k, .trans_a = tb, .trans_b = ta, .batch = batch};
  }
  GemmShape gradient_a() const {
    if (ta) return {.m = m, .n = k, .k = n, .trans_a = true, .trans_b = tb, .batch = batch};
    return {.m = k, .n = m, .k = n, .trans_a = !tb, .batch = batch};
  }
  GemmShape gradient_b() const {
    if (tb) return {.m = k, .n = n, .k = m, .trans_a = ta, .trans_b = true, .batch = batch};
    return {.m = n, .n = k, .k = m, .trans_b = !ta, .batch = batch};
  }
};

struct KernelsOf {
  const WorkloadGraph& graph;
  const Op& op;
  Pass pass;

  const TensorShape& in(std::size_t i = 0) const { return graph.shape(op.inputs[i]); }
  const TensorShape& out() const { return graph.shape(op.output); }
  bool needs(std::size_t i) const { return graph.tensor(op.inputs[i]).needs_gradient; }
  // Whether an operation with weights runs this pass at all.
  bool runs() const {
    return pass == Pass::kForward || (pass == Pass::kDgrad ? needs(0) : op.trainable);
  }

  Kernels operator()(const Linear& linear) const {
    if (!runs()) return {};
    return {linear_gemm(pass, in().elements() / linear.in_features, linear.in_features,
                        linear.out_features)};
  }
  Kernels operator()(const ExpertLinear& linear) const {
    if (!runs()) return {};
    const std::int64_t rows = in().elements() / linear.in_features;
    Kernels kernels;
    for (std::int64_t expert = 0; expert < linear.experts; ++expert) {
      const std::int64_t own = rows / linear.experts + (expert < rows % linear.experts ? 1 : 0);
      if (own > 0) {
        kernels.push_back(linear_gemm(pass, own, linear.in_features, linear.out_features));
      }
    }
    return kernels;
  }
  Kernels two_operands(const BatchedMatmul& matmul) const {
    if (pass == Pass::kForward) return {matmul.forward()};
    Kernels kernels;
    if (pass == Pass::kDgrad && needs(0)) kernels.push_back(matmul.gradient_a());
    if (pass == Pass::kDgrad && needs(1)) kernels.push_back(matmul.gradient_b());
    return kernels;
  }
  Kernels operator()(const Matmul& matmul) const {
    const auto& y = out().dims;
    const auto& a = in(0).dims;
    const std::int64_t m = y[y.size() - 2], n = y[y.size() - 1];
    return two_operands({.m = m,
                         .n = n,
                         .k = matmul.trans_a ? a[a.size() - 2] : a[a.size() - 1],
                         .batch = out().elements() / (m * n),
                         .ta = matmul.trans_a,
                         .tb = matmul.trans_b});
  }
  // The same products as without fusion; what a fused backward computes again is not counted.
  Kernels operator()(const Attention&) const {
    const auto &q = in(0).dims, &k = in(1).dims, &y = out().dims;
    const std::int64_t batch = q[0] * q[1];
    const BatchedMatmul scores{q[2], k[2], q[3], batch, false, true};
    const BatchedMatmul values{q[2], y[3], k[2], batch, false, false};
    if (pass == Pass::kForward) return {scores.forward(), values.forward()};
    if (pass == Pass::kWgrad || !graph.tensor(op.output).needs_gradient) return {};
    return {values.gradient_a(), values.gradient_b(), scores.gradient_a(), scores.gradient_b()};
  }
  Kernels operator()(const Conv2d& conv) const {
    if (!runs()) return {};
    return {convolution_shape(graph, op, conv, pass)};
  }
  // Forward is the dgrad of the convolution that leads from the output back to the input.
  Kernels operator()(const ConvTranspose2d& conv) const {
    if (!runs()) return {};
    const auto& y = out().dims;
    const Pass mirrored = pass == Pass::kForward ? Pass::kDgrad
                          : pass == Pass::kDgrad ? Pass::kForward
                                                 : Pass::kWgrad;
    return {ConvShape{.pass = mirrored,
                      .n = y[0],
                      .c = y[1],
                      .h = y[2],
                      .w = y[3],
                      .k = conv.in_channels,
                      .r = conv.kernel,
                      .s = conv.kernel,
                      .pad_h = conv.pad,
                      .pad_w = conv.pad,
                      .stride_h = conv.stride,
                      .stride_w = conv.stride}};
  }
  Kernels operator()(const Rnn& rnn) const {
    Kernels kernels;
    if (pass == Pass::kWgrad && !op.trainable) return kernels;
    const std::int64_t steps = in().dims[0], batch = in().dims[1];
    const std::int64_t directions = rnn.bidirectional ? 2 : 1;
    const std::int64_t rows = gate_count(rnn.cell) * rnn.hidden;
    for (std::int64_t layer = 0; layer < rnn.layers; ++layer) {
      const std::int64_t width = layer == 0 ? rnn.input : rnn.hidden * directions;
      for (std::int64_t direction = 0; direction < directions; ++direction) {
        if (pass != Pass::kDgrad || layer > 0 || needs(0)) {
          kernels.push_back(linear_gemm(pass, steps * batch, width, rows));
        }
        if (pass == Pass::kWgrad) {
          kernels.push_back(linear_gemm(pass, steps * batch, rnn.hidden, rows));
        } else {
          kernels.insert(kernels.end(), static_cast<std::size_t>(steps),
                         linear_gemm(pass, batch, rnn.hidden, rows));
        }
      }
    }
    return kernels;
  }
  template <typename Other>
  Kernels operator()(const Other&) const {
    return {};
  }
};

}  // namespace

ConvShape convolution_shape(const WorkloadGraph& graph, const Op& op, const Conv2d& conv,
                            Pass pass) {
  const auto& x = graph.shape(op.inputs[0]).dims;
  return {.pass = pass,
          .n = x[0],
          .c = x[1],
          .h = x[2],
          .w = x[3],
          .k = conv.out_channels,
          .r = conv.kernel_h,
          .s = conv.kernel_w,
          .pad_h = conv.pad_h,
          .pad_w = conv.pad_w,
          .stride_h = conv.stride_h,
          .stride_w = conv.stride_w,
          .groups = conv.groups};
}

std::vector<KernelShape> pass_kernels(const WorkloadGraph& graph, const Op& op, Pass pass) {
  return std::visit(KernelsOf{graph, op, pass}, op.attributes);
}

Flops pass_flops(const WorkloadGraph& graph, const Op& op, Pass pass) {
  Flops sum;
  for (const KernelShape& kernel : pass_kernels(graph, op, pass)) sum += kernel_flops(kernel);
  return sum;
}

}  // namespace paceline
