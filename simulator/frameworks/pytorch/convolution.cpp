// Convolutions of PyTorch 1.13 on a CPU: oneDNN in its blocked layout, with reorders from and to
// the plain layout around every call and nothing kept between calls; or, for some shapes, im2col
// and one OpenBLAS product per image.
#include "simulator/frameworks/pytorch/issuer.h"

namespace paceline::pytorch {
namespace {

std::int64_t weight_elements(const Conv2d& conv) {
  return conv.out_channels * (conv.in_channels / conv.groups) * conv.kernel_h * conv.kernel_w;
}

bool is_pointwise(const ConvShape& s) {
  return s.r == 1 && s.s == 1 && s.stride_h == 1 && s.stride_w == 1 && s.pad_h == 0 && s.pad_w == 0;
}

// Sizes of the product of one image: pixels x filter taps x output channels.
struct ImageProduct {
  std::int64_t pixels, taps, channels;
};
ImageProduct product_of(const ConvShape& s) {
  return {s.output_h() * s.output_w(), s.c * s.r * s.s, s.k};
}

class Direct {
 public:
  Direct(Issuer& issuer, const Op& op, const Conv2d& conv) : i_(issuer), op_(op), conv_(conv) {}

  void forward() {
    i_.host("conv_direct");
    reorder_input();
    reorder_weights();
    run(Pass::kForward);
    from_blocked(op_.output, i_.activation(op_.output));
  }
  void input_gradient() {
    to_blocked(op_.output, i_.gradient(op_.output));
    reorder_weights();
    run(Pass::kDgrad);
    from_blocked(op_.inputs[0], i_.gradient(op_.inputs[0]));
  }
  void weight_gradient() {
    to_blocked(op_.output, i_.gradient(op_.output));
    reorder_input();
    run(Pass::kWgrad);
    i_.stream("onednn.reorder.weights_from_blocked", weight_elements(conv_), 1, 1);
  }

 private:
  void run(Pass pass) { i_.kernel("onednn.conv", convolution_shape(i_.graph(), op_, conv_, pass)); }
  void to_blocked(TensorId id, const Operand& from) {
    i_.touching({from});
    i_.stream("onednn.reorder.to_blocked", i_.elements(id), 1, 1);
  }
  void from_blocked(TensorId id, const Operand& to) {
    i_.touching({to});
    i_.stream("onednn.reorder.from_blocked", i_.elements(id), 1, 1);
  }
  void reorder_weights() {
    i_.touching({i_.parameter(0, weight_elements(conv_))});
    i_.stream("onednn.reorder.weights_to_blocked", weight_elements(conv_), 1, 1);
  }
  // Images of few channels are read in the plain layout.
  void reorder_input() {
    if (conv_.in_channels >= i_.record().plain_input_channels) {
      to_blocked(op_.inputs[0], i_.activation(op_.inputs[0]));
    }
  }

  Issuer& i_;
  const Op& op_;
  const Conv2d& conv_;
};

void per_image_forward(Issuer& i, const Op& op, const Conv2d& conv) {
  const ConvShape shape = convolution_shape(i.graph(), op, conv, Pass::kForward);
  const auto [pixels, taps, channels] = product_of(shape);
  i.host("conv_per_image_gemm");
  if (!is_pointwise(shape)) i.stream("aten.copy", shape.n * pixels * taps, 1, 1);
  if (conv.bias) i.stream("aten.copy", i.elements(op.output), 0, 1);
  i.touching(
      {i.parameter(0, weight_elements(conv)), i.activation(op.inputs[0]), i.activation(op.output)});
  i.kernel("openblas.sgemm", GemmShape{.m = pixels, .n = channels, .k = taps}, shape.n);
}

void per_image_input_gradient(Issuer& i, const Op& op, const Conv2d& conv) {
  const ConvShape shape = convolution_shape(i.graph(), op, conv, Pass::kDgrad);
  const auto [pixels, taps, channels] = product_of(shape);
  i.stream("aten.fill", i.elements(op.inputs[0]), 0, 1);
  i.touching({i.parameter(0, weight_elements(conv)), i.gradient(op.output)});
  i.kernel("openblas.sgemm", GemmShape{.m = pixels, .n = taps, .k = channels, .trans_b = true},
           shape.n);
  // col2im adds each image's columns to the gradient, for 1x1 filters too.
  i.touching({i.gradient(op.inputs[0])});
  i.stream("aten.add_", pixels * taps, 2, 1, 0, shape.n);
}

void per_image_weight_gradient(Issuer& i, const Op& op, const Conv2d& conv) {
  const ConvShape shape = convolution_shape(i.graph(), op, conv, Pass::kWgrad);
  const auto [pixels, taps, channels] = product_of(shape);
  i.stream("aten.fill", weight_elements(conv), 0, 1);
  i.touching({i.activation(op.inputs[0]), i.gradient(op.output)});
  i.kernel("openblas.sgemm", GemmShape{.m = taps, .n = channels, .k = pixels, .trans_a = true},
           shape.n);
  if (conv.bias) i.stream("aten.sum", i.elements(op.output), 1, 0, channels);
}

bool per_image(const Issuer& i, const Op& op, const Conv2d& conv) {
  return runs_as_gemm_per_image(convolution_shape(i.graph(), op, conv, Pass::kForward), i.record(),
                                i.context().threads);
}

}  // namespace

bool runs_as_gemm_per_image(const ConvShape& s, const FrameworkRecord& record, int threads) {
  const PerImageGemmRule& rule = record.per_image_gemm;
  if (rule.always && s.groups == 1) return true;
  const bool strided = s.stride_h > 1 || s.stride_w > 1;
  const bool pays_off =
      strided || s.n >= rule.batch_below || s.r != 1 || s.s != 1 || threads > rule.threads_at_most;
  const bool large = s.groups > 1 || (s.r > rule.single_kernel && s.s > rule.single_kernel) ||
                     s.n > 1 || s.n * s.c * s.h * s.w > rule.single_elements;
  return !(pays_off && large);
}

void convolution_forward(Issuer& i, const Op& op, const Conv2d& conv) {
  if (per_image(i, op, conv)) {
    per_image_forward(i, op, conv);
  } else {
    Direct(i, op, conv).forward();
  }
}

void convolution_backward(Issuer& i, const Op& op, const Conv2d& conv) {
  const bool gemm = per_image(i, op, conv);
  i.host(gemm ? "conv_per_image_gemm" : "conv_direct");
  if (!i.gradient_is_contiguous(op.output)) i.stream("aten.copy", i.elements(op.output), 1, 1);
  if (i.needs_gradient(op.inputs[0])) {
    gemm ? per_image_input_gradient(i, op, conv) : Direct(i, op, conv).input_gradient();
  }
  if (op.trainable) {
    gemm ? per_image_weight_gradient(i, op, conv) : Direct(i, op, conv).weight_gradient();
    i.accumulate(parameter_sizes(op));
  }
  i.deliver_gradient(op.inputs[0]);
}

}  // namespace paceline::pytorch
