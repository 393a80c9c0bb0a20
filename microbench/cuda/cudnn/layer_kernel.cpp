#include "microbench/cuda/cudnn/layer_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/gpu/batch_norm_reference.h"

namespace paceline {
namespace {

class LayerKernel final : public GpuKernel {
 public:
  LayerKernel(const LayerTraits& traits, const LayerImage& image, const std::string& precision,
              bool channels_last)
      : t_(traits),
        in_(image),
        out_(traits.layer == CudnnLayer::kMaxPool ? pooled(image) : image),
        precision_(precision),
        type_(storage_type(precision)),
        channels_last_(channels_last) {
    const auto format = channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    const auto dims = [](const LayerImage& i) {
      return std::vector<int>{static_cast<int>(i.n), static_cast<int>(i.c), static_cast<int>(i.h),
                              static_cast<int>(i.w)};
    };
    set_tensor(in_tensor_, format, type_, dims(in_));
    set_tensor(out_tensor_, format, type_, dims(out_));
    PACELINE_CUDNN(cudnnSetActivationDescriptor(relu_.get(), CUDNN_ACTIVATION_RELU,
                                                CUDNN_NOT_PROPAGATE_NAN, 0));
    PACELINE_CUDNN(cudnnSetPooling2dDescriptor(pool_.get(), CUDNN_POOLING_MAX,
                                               CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
    make_operands();
    if (t_.backward) forward();
  }

  void launch() override { t_.backward ? backward() : forward(); }

  void check() override {
    launch();
    PACELINE_CUDA(cudaDeviceSynchronize());
    t_.backward ? check_gradient() : check_output();
  }

 private:
  static constexpr float kOne = 1, kZero = 0;

  void make_operands() {
    x_ = random_tensor(in_.elements(), type_, 1);
    dx_ = DeviceBuffer(x_.bytes());
    dy_ = random_tensor(out_.elements(), type_, 2);
    y_ = DeviceBuffer(dy_.bytes());
    if (t_.layer != CudnnLayer::kBatchNorm) return;
    PACELINE_CUDNN(cudnnDeriveBNTensorDescriptor(statistics_.get(), in_tensor_.get(), kMode));
    for (DeviceBuffer& memory : per_channel_) {
      memory = DeviceBuffer(static_cast<std::size_t>(in_.c + 3) / 4 * 16);
      launch_write(memory.as<float>(), 1, (in_.c + 3) / 4 * 4, nullptr);
    }
    PACELINE_CUDA(cudaDeviceSynchronize());
  }

  void forward() {
    switch (t_.layer) {
      case CudnnLayer::kBatchNorm:
        PACELINE_CUDNN(cudnnBatchNormalizationForwardTraining(
            handle_.get(), kMode, &kOne, &kZero, in_tensor_.get(), x_.data(), out_tensor_.get(),
            y_.data(), statistics_.get(), per_channel_[0].data(), per_channel_[1].data(), 0.1,
            nullptr, nullptr, kEpsilon, per_channel_[2].data(), per_channel_[3].data()));
        break;
      case CudnnLayer::kSoftmax:
        PACELINE_CUDNN(cudnnSoftmaxForward(handle_.get(), CUDNN_SOFTMAX_ACCURATE,
                                           CUDNN_SOFTMAX_MODE_CHANNEL, &kOne, in_tensor_.get(),
                                           x_.data(), &kZero, out_tensor_.get(), y_.data()));
        break;
      case CudnnLayer::kMaxPool:
        PACELINE_CUDNN(cudnnPoolingForward(handle_.get(), pool_.get(), &kOne, in_tensor_.get(),
                                           x_.data(), &kZero, out_tensor_.get(), y_.data()));
        break;
      case CudnnLayer::kRelu:
        PACELINE_CUDNN(cudnnActivationForward(handle_.get(), relu_.get(), &kOne, in_tensor_.get(),
                                              x_.data(), &kZero, out_tensor_.get(), y_.data()));
        break;
    }
  }

  void backward() {
    switch (t_.layer) {
      case CudnnLayer::kBatchNorm:
        PACELINE_CUDNN(cudnnBatchNormalizationBackward(
            handle_.get(), kMode, &kOne, &kZero, &kOne, &kZero, in_tensor_.get(), x_.data(),
            out_tensor_.get(), dy_.data(), in_tensor_.get(), dx_.data(), statistics_.get(),
            per_channel_[0].data(), per_channel_[4].data(), per_channel_[5].data(), kEpsilon,
            per_channel_[2].data(), per_channel_[3].data()));
        break;
      case CudnnLayer::kSoftmax:
        PACELINE_CUDNN(cudnnSoftmaxBackward(handle_.get(), CUDNN_SOFTMAX_ACCURATE,
                                            CUDNN_SOFTMAX_MODE_CHANNEL, &kOne, out_tensor_.get(),
                                            y_.data(), out_tensor_.get(), dy_.data(), &kZero,
                                            in_tensor_.get(), dx_.data()));
        break;
      case CudnnLayer::kMaxPool:
        PACELINE_CUDNN(cudnnPoolingBackward(
            handle_.get(), pool_.get(), &kOne, out_tensor_.get(), y_.data(), out_tensor_.get(),
            dy_.data(), in_tensor_.get(), x_.data(), &kZero, in_tensor_.get(), dx_.data()));
        break;
      case CudnnLayer::kRelu:
        PACELINE_CUDNN(cudnnActivationBackward(
            handle_.get(), relu_.get(), &kOne, out_tensor_.get(), y_.data(), out_tensor_.get(),
            dy_.data(), in_tensor_.get(), x_.data(), &kZero, in_tensor_.get(), dx_.data()));
        break;
    }
  }

  std::int64_t at(const LayerImage& image, std::int64_t n, std::int64_t c, std::int64_t h,
                  std::int64_t w) const {
    return channels_last_ ? ((n * image.h + h) * image.w + w) * image.c + c
                          : ((n * image.c + c) * image.h + h) * image.w + w;
  }
  double x(std::int64_t place) const { return random_element(place, type_, 1); }
  double read(const DeviceBuffer& tensor, std::int64_t place) const {
    return read_elements(tensor.data(), type_, {place}).front();
  }
  double tolerance() const { return precision_ == "fp32" ? 1e-4 : 3e-2; }

  // The last image's first channel, first pixel.
  void check_output() const {
    const std::int64_t n = in_.n - 1;
    const double found = read(y_, at(out_, n, 0, 0, 0));
    double expected = 0;
    switch (t_.layer) {
      case CudnnLayer::kBatchNorm:
        expected = batch_norm_output(channel(1), first_of(n), kScale, kShift, kEpsilon);
        break;
      case CudnnLayer::kSoftmax: {
        double sum = 0;
        for (std::int64_t c = 0; c < in_.c; ++c) sum += std::exp(x(at(in_, n, c, 0, 0)));
        expected = std::exp(x(at(in_, n, 0, 0, 0))) / sum;
        break;
      }
      case CudnnLayer::kMaxPool:
        expected = std::max({x(at(in_, n, 0, 0, 0)), x(at(in_, n, 0, 0, 1)), x(at(in_, n, 0, 1, 0)),
                             x(at(in_, n, 0, 1, 1))});
        break;
      case CudnnLayer::kRelu:
        expected = std::max(0.0, x(at(in_, n, 0, 0, 0)));
        break;
    }
    require_near(found, expected, tolerance(), "an output");
  }

  // All values of channel 0 of an operand, image by image.
  std::vector<double> channel(std::uint32_t seed) const {
    std::vector<double> out;
    for (std::int64_t n = 0; n < in_.n; ++n) {
      for (std::int64_t h = 0; h < in_.h; ++h) {
        for (std::int64_t w = 0; w < in_.w; ++w) {
          out.push_back(random_element(at(in_, n, 0, h, w), type_, seed));
        }
      }
    }
    return out;
  }
  // Where image n begins in that.
  std::size_t first_of(std::int64_t n) const { return static_cast<std::size_t>(n * in_.h * in_.w); }

  // Of a ReLU the gradient is that of the output or nothing; of a normalisation it follows from the
  // channel; over the channels of a softmax it adds up to zero, of a pooling to that of the window.
  void check_gradient() const {
    const std::int64_t n = in_.n - 1;
    double found = 0, expected = 0;
    switch (t_.layer) {
      case CudnnLayer::kBatchNorm:
        found = read(dx_, at(in_, n, 0, 0, 0));
        expected = batch_norm_gradient(channel(1), channel(2), first_of(n), kScale, kEpsilon);
        break;
      case CudnnLayer::kSoftmax:
        for (std::int64_t c = 0; c < in_.c; ++c) found += read(dx_, at(in_, n, c, 0, 0));
        break;
      case CudnnLayer::kMaxPool:
        for (const std::int64_t h : {0, 1}) {
          for (const std::int64_t w : {0, 1}) found += read(dx_, at(in_, n, 0, h, w));
        }
        expected = random_element(at(out_, n, 0, 0, 0), type_, 2);
        break;
      case CudnnLayer::kRelu:
        found = read(dx_, at(in_, n, 0, 0, 0));
        expected = x(at(in_, n, 0, 0, 0)) > 0 ? random_element(at(out_, n, 0, 0, 0), type_, 2) : 0;
        break;
    }
    require_near(found, expected, tolerance(), "a gradient");
  }

  static constexpr cudnnBatchNormMode_t kMode = CUDNN_BATCHNORM_SPATIAL;
  static constexpr double kEpsilon = 1e-5;
  static constexpr double kScale = 1, kShift = 1;  // launch_write writes ones

  const LayerTraits& t_;
  LayerImage in_, out_;
  std::string precision_;
  ElementType type_;
  bool channels_last_;
  CudnnHandle handle_;
  CudnnTensor in_tensor_, out_tensor_, statistics_;
  CudnnActivation relu_;
  CudnnPooling pool_;
  DeviceBuffer x_, dx_, y_, dy_;
  // Scale, shift, saved mean and inverse deviation, gradients of the first two.
  std::array<DeviceBuffer, 6> per_channel_;
};

}  // namespace

std::unique_ptr<GpuKernel> make_layer_kernel(const LayerTraits& traits, const LayerImage& image,
                                             const std::string& precision, bool channels_last) {
  return std::make_unique<LayerKernel>(traits, image, precision, channels_last);
}

}  // namespace paceline
