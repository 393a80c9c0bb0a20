// Layers of cuDNN that are limited by memory: batch normalisation, softmax, pooling, activation,
// forward and backward. Images of n x c x h x w.
#include <algorithm>
#include <array>

#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/support/axes.h"

namespace paceline {
namespace {

enum class Layer { kBatchNorm, kSoftmax, kMaxPool, kRelu };

struct Traits {
  Layer layer;
  bool backward;
  const char* name;
  // Tensors of the size of the input, and of the output, that are read and written.
  int read_in, read_out, written_in, written_out;
};
// Batch normalisation reads its input twice where it does not fit the cache; counted once.
constexpr std::array<Traits, 8> kTraits = {
    {{Layer::kBatchNorm, false, "cudnn.batch_norm", 1, 0, 0, 1},
     {Layer::kBatchNorm, true, "cudnn.batch_norm_backward", 1, 1, 1, 0},
     {Layer::kSoftmax, false, "cudnn.softmax", 1, 0, 0, 1},
     {Layer::kSoftmax, true, "cudnn.softmax_backward", 0, 2, 1, 0},
     {Layer::kMaxPool, false, "cudnn.max_pool", 1, 0, 0, 1},
     {Layer::kMaxPool, true, "cudnn.max_pool_backward", 1, 2, 1, 0},
     {Layer::kRelu, false, "cudnn.relu", 1, 0, 0, 1},
     {Layer::kRelu, true, "cudnn.relu_backward", 1, 2, 1, 0}}};

struct Image {
  std::int64_t n, c, h, w;
  std::int64_t elements() const { return n * c * h * w; }
};
// A 2 x 2 window with stride 2.
Image pooled(const Image& image) { return {image.n, image.c, image.h / 2, image.w / 2}; }

class LayerKernel final : public GpuKernel {
 public:
  LayerKernel(const Traits& traits, const Image& image, const std::string& precision,
              bool channels_last)
      : t_(traits),
        in_(image),
        out_(traits.layer == Layer::kMaxPool ? pooled(image) : image),
        precision_(precision),
        type_(storage_type(precision)),
        channels_last_(channels_last) {
    const auto format = channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    const auto dims = [](const Image& i) {
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
    if (t_.layer != Layer::kBatchNorm) return;
    PACELINE_CUDNN(cudnnDeriveBNTensorDescriptor(statistics_.get(), in_tensor_.get(), kMode));
    for (DeviceBuffer& memory : per_channel_) {
      memory = DeviceBuffer(static_cast<std::size_t>(in_.c + 3) / 4 * 16);
      launch_write(memory.as<float>(), 1, (in_.c + 3) / 4 * 4, nullptr);
    }
    PACELINE_CUDA(cudaDeviceSynchronize());
  }

  void forward() {
    switch (t_.layer) {
      case Layer::kBatchNorm:
        PACELINE_CUDNN(cudnnBatchNormalizationForwardTraining(
            handle_.get(), kMode, &kOne, &kZero, in_tensor_.get(), x_.data(), out_tensor_.get(),
            y_.data(), statistics_.get(), per_channel_[0].data(), per_channel_[1].data(), 0.1,
            nullptr, nullptr, kEpsilon, per_channel_[2].data(), per_channel_[3].data()));
        break;
      case Layer::kSoftmax:
        PACELINE_CUDNN(cudnnSoftmaxForward(handle_.get(), CUDNN_SOFTMAX_ACCURATE,
                                           CUDNN_SOFTMAX_MODE_CHANNEL, &kOne, in_tensor_.get(),
                                           x_.data(), &kZero, out_tensor_.get(), y_.data()));
        break;
      case Layer::kMaxPool:
        PACELINE_CUDNN(cudnnPoolingForward(handle_.get(), pool_.get(), &kOne, in_tensor_.get(),
                                           x_.data(), &kZero, out_tensor_.get(), y_.data()));
        break;
      case Layer::kRelu:
        PACELINE_CUDNN(cudnnActivationForward(handle_.get(), relu_.get(), &kOne, in_tensor_.get(),
                                              x_.data(), &kZero, out_tensor_.get(), y_.data()));
        break;
    }
  }

  void backward() {
    switch (t_.layer) {
      case Layer::kBatchNorm:
        PACELINE_CUDNN(cudnnBatchNormalizationBackward(
            handle_.get(), kMode, &kOne, &kZero, &kOne, &kZero, in_tensor_.get(), x_.data(),
            out_tensor_.get(), dy_.data(), in_tensor_.get(), dx_.data(), statistics_.get(),
            per_channel_[0].data(), per_channel_[4].data(), per_channel_[5].data(), kEpsilon,
            per_channel_[2].data(), per_channel_[3].data()));
        break;
      case Layer::kSoftmax:
        PACELINE_CUDNN(cudnnSoftmaxBackward(handle_.get(), CUDNN_SOFTMAX_ACCURATE,
                                            CUDNN_SOFTMAX_MODE_CHANNEL, &kOne, out_tensor_.get(),
                                            y_.data(), out_tensor_.get(), dy_.data(), &kZero,
                                            in_tensor_.get(), dx_.data()));
        break;
      case Layer::kMaxPool:
        PACELINE_CUDNN(cudnnPoolingBackward(
            handle_.get(), pool_.get(), &kOne, out_tensor_.get(), y_.data(), out_tensor_.get(),
            dy_.data(), in_tensor_.get(), x_.data(), &kZero, in_tensor_.get(), dx_.data()));
        break;
      case Layer::kRelu:
        PACELINE_CUDNN(cudnnActivationBackward(
            handle_.get(), relu_.get(), &kOne, out_tensor_.get(), y_.data(), out_tensor_.get(),
            dy_.data(), in_tensor_.get(), x_.data(), &kZero, in_tensor_.get(), dx_.data()));
        break;
    }
  }

  std::int64_t at(const Image& image, std::int64_t n, std::int64_t c, std::int64_t h,
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
      case Layer::kBatchNorm:
        expected = normalized(n);
        break;
      case Layer::kSoftmax: {
        double sum = 0;
        for (std::int64_t c = 0; c < in_.c; ++c) sum += std::exp(x(at(in_, n, c, 0, 0)));
        expected = std::exp(x(at(in_, n, 0, 0, 0))) / sum;
        break;
      }
      case Layer::kMaxPool:
        expected = std::max({x(at(in_, n, 0, 0, 0)), x(at(in_, n, 0, 0, 1)), x(at(in_, n, 0, 1, 0)),
                             x(at(in_, n, 0, 1, 1))});
        break;
      case Layer::kRelu:
        expected = std::max(0.0, x(at(in_, n, 0, 0, 0)));
        break;
    }
    require_near(found, expected, tolerance(), "an output");
  }

  // Scale and shift are 1.
  double normalized(std::int64_t n) const {
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < in_.n; ++i) {
      for (std::int64_t h = 0; h < in_.h; ++h) {
        for (std::int64_t w = 0; w < in_.w; ++w) {
          const double value = x(at(in_, i, 0, h, w));
          sum += value;
          squares += value * value;
        }
      }
    }
    const auto count = static_cast<double>(in_.n * in_.h * in_.w);
    const double mean = sum / count;
    const double variance = squares / count - mean * mean;
    return (x(at(in_, n, 0, 0, 0)) - mean) / std::sqrt(variance + kEpsilon) + 1;
  }

  // Laws of the gradients: of a ReLU it is that of the output or nothing; over the channels of a
  // softmax, and over the pixels of a normalisation, it adds up to zero; of a pooling, to that of
  // the window.
  void check_gradient() const {
    if (t_.layer == Layer::kRelu) {
      const double dy = random_element(0, type_, 2);
      return require_near(read(dx_, 0), x(0) > 0 ? dy : 0, tolerance(), "a gradient");
    }
    double sum = 0, expected = 0;
    std::int64_t terms = 1;
    if (t_.layer == Layer::kSoftmax) {
      for (std::int64_t c = 0; c < in_.c; ++c) sum += read(dx_, at(in_, 0, c, 0, 0));
    } else if (t_.layer == Layer::kMaxPool) {
      for (const std::int64_t h : {0, 1}) {
        for (const std::int64_t w : {0, 1}) sum += read(dx_, at(in_, 0, 0, h, w));
      }
      expected = random_element(at(out_, 0, 0, 0, 0), type_, 2);
    } else {
      // Reading every pixel back one by one would take too long: finite is enough here.
      sum = std::isfinite(read(dx_, in_.elements() - 1)) ? 0 : 1;
    }
    require_near(sum, expected, tolerance() * std::sqrt(static_cast<double>(terms)),
                 "a sum of gradients");
  }

  static constexpr cudnnBatchNormMode_t kMode = CUDNN_BATCHNORM_SPATIAL;
  static constexpr double kEpsilon = 1e-5;

  const Traits& t_;
  Image in_, out_;
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

class LayerBenchmark final : public GpuBenchmark {
 public:
  explicit LayerBenchmark(const Traits& traits) : t_(traits) {}

  std::vector<Axes> design(GpuDesign size, const GpuInfo&) const override {
    const bool rows = t_.layer == Layer::kSoftmax;
    const std::array<Image, 3> images =
        rows ? std::array<Image, 3>{Image{4800, 1300, 1, 1}, {960, 30000, 1, 1}, {96, 200, 1, 1}}
             : std::array<Image, 3>{Image{32, 96, 60, 60}, {32, 480, 30, 30}, {32, 800, 10, 10}};
    std::vector<Axes> out;
    for (std::size_t i = 0; i < (size == GpuDesign::kQuick ? 1 : images.size()); ++i) {
      for (const char* precision : {"fp32", "fp16"}) {
        out.push_back(axes(images[i], precision, "channels_first"));
        if (size == GpuDesign::kFull && !rows) {
          out.push_back(axes(images[i], precision, "channels_last"));
        }
      }
    }
    return out;
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    const auto number = [&](const char* axis) { return integer_axis(axes, axis, t_.name); };
    return std::make_unique<LayerKernel>(
        t_, Image{number("images"), number("channels"), number("height"), number("width")},
        text_axis(axes, "precision", t_.name),
        text_axis(axes, "layout", t_.name) == "channels_last");
  }

 private:
  Axes axes(const Image& image, const char* precision, const char* layout) const {
    const Image out = t_.layer == Layer::kMaxPool ? pooled(image) : image;
    const std::int64_t each = std::string(precision) == "fp32" ? 4 : 2;
    const std::int64_t in_bytes = each * image.elements(), out_bytes = each * out.elements();
    Axes axes =
        integer_axes({{"images", image.n},
                      {"channels", image.c},
                      {"height", image.h},
                      {"width", image.w},
                      {"elements", image.elements()},
                      {"read_bytes", t_.read_in * in_bytes + t_.read_out * out_bytes},
                      {"written_bytes", t_.written_in * in_bytes + t_.written_out * out_bytes},
                      {"row", row(image)}});
    axes["kind"] = kind();
    axes["precision"] = std::string(precision);
    axes["layout"] = std::string(layout);
    axes["cache"] = std::string("cold");
    return axes;
  }
  // In the words of StreamKind (model/kernel/kernel.h).
  std::string kind() const {
    if (t_.layer == Layer::kSoftmax) return "softmax";
    if (t_.layer != Layer::kBatchNorm) return "elementwise";
    return t_.backward ? "normalization_backward" : "normalization";
  }
  std::int64_t row(const Image& image) const {
    if (t_.layer == Layer::kSoftmax) return image.c;
    return t_.layer == Layer::kBatchNorm ? image.h * image.w : 0;
  }

  const Traits& t_;
};

}  // namespace

void register_cudnn_layers(GpuBenchmarkRegistry& registry) {
  for (const Traits& traits : kTraits) {
    registry.add(traits.name, "layers of cuDNN limited by memory",
                 std::make_unique<LayerBenchmark>(traits));
  }
}

}  // namespace paceline
