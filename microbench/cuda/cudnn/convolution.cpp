// Convolutions of cuDNN, three passes: what its heuristic chooses, what its search finds, and every
// algorithm on its own, with the workspace of each. Layers are those of no network that is
// validated on.
#include <array>
#include <map>

#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/support/axes.h"

namespace paceline {
namespace {

struct Layer {
  std::int64_t n, c, h, w, k, r, s, pad, stride, groups;
  bool quick;
  std::int64_t p() const { return (h + 2 * pad - r) / stride + 1; }
  std::int64_t q() const { return (w + 2 * pad - s) / stride + 1; }
};

// What differs between the three passes.
struct PassCalls {
  const char* name;
  std::vector<const char*> algorithms;
};
const std::array<PassCalls, 3>& passes() {
  static const std::array<PassCalls, 3> kPasses = {
      {{"forward",
        {"implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling",
         "winograd", "winograd_nonfused"}},
       {"dgrad", {"0", "1", "fft", "fft_tiling", "winograd", "winograd_nonfused"}},
       {"wgrad", {"0", "1", "fft", "3", "winograd", "winograd_nonfused", "fft_tiling"}}}};
  return kPasses;
}

int pass_index(const std::string& pass) {
  for (int i = 0; i < 3; ++i) {
    if (passes()[static_cast<std::size_t>(i)].name == pass) return i;
  }
  throw MeasurementError("unknown pass " + pass);
}

class ConvKernel final : public GpuKernel {
 public:
  ConvKernel(const Layer& layer, const std::string& pass, const std::string& precision,
             bool channels_last, const std::string& algorithm)
      : l_(layer),
        pass_(pass_index(pass)),
        precision_(precision),
        type_(storage_type(precision)),
        format_(channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW) {
    const auto i = [](std::int64_t v) { return static_cast<int>(v); };
    set_tensor(x_tensor_, format_, type_, {i(l_.n), i(l_.c), i(l_.h), i(l_.w)});
    set_tensor(y_tensor_, format_, type_, {i(l_.n), i(l_.k), i(l_.p()), i(l_.q())});
    PACELINE_CUDNN(cudnnSetFilter4dDescriptor(filter_.get(), cudnn_type(type_), format_, i(l_.k),
                                              i(l_.c / l_.groups), i(l_.r), i(l_.s)));
    PACELINE_CUDNN(cudnnSetConvolution2dDescriptor(convolution_.get(), i(l_.pad), i(l_.pad),
                                                   i(l_.stride), i(l_.stride), 1, 1,
                                                   CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    PACELINE_CUDNN(cudnnSetConvolutionGroupCount(convolution_.get(), i(l_.groups)));
    PACELINE_CUDNN(cudnnSetConvolutionMathType(
        convolution_.get(), precision == "fp32" ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH));
    x_ = random_tensor(l_.n * l_.c * l_.h * l_.w, type_, kX);
    y_ = random_tensor(l_.n * l_.k * l_.p() * l_.q(), type_, kY);
    w_ = random_tensor(l_.k * l_.c / l_.groups * l_.r * l_.s, type_, kW);
    choose(algorithm);
  }

  void launch() override {
    const float one = 1, zero = 0;
    if (pass_ == 0) {
      PACELINE_CUDNN(cudnnConvolutionForward(
          handle_.get(), &one, x_tensor_.get(), x_.data(), filter_.get(), w_.data(),
          convolution_.get(), static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_), workspace_.data(),
          workspace_.bytes(), &zero, y_tensor_.get(), y_.data()));
    } else if (pass_ == 1) {
      PACELINE_CUDNN(cudnnConvolutionBackwardData(
          handle_.get(), &one, filter_.get(), w_.data(), y_tensor_.get(), y_.data(),
          convolution_.get(), static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm_),
          workspace_.data(), workspace_.bytes(), &zero, x_tensor_.get(), x_.data()));
    } else {
      PACELINE_CUDNN(cudnnConvolutionBackwardFilter(
          handle_.get(), &one, x_tensor_.get(), x_.data(), y_tensor_.get(), y_.data(),
          convolution_.get(), static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm_),
          workspace_.data(), workspace_.bytes(), &zero, filter_.get(), w_.data()));
    }
  }

  void check() override {
    // The search overwrites outputs, so operands are filled again.
    x_ = random_tensor(l_.n * l_.c * l_.h * l_.w, type_, kX);
    y_ = random_tensor(l_.n * l_.k * l_.p() * l_.q(), type_, kY);
    w_ = random_tensor(l_.k * l_.c / l_.groups * l_.r * l_.s, type_, kW);
    launch();
    PACELINE_CUDA(cudaDeviceSynchronize());
    pass_ == 0 ? check_forward() : pass_ == 1 ? check_dgrad() : check_wgrad();
  }

  Axes facts() const override {
    const auto& names = passes()[static_cast<std::size_t>(pass_)].algorithms;
    return {{"algorithm", std::string(names.at(static_cast<std::size_t>(algorithm_)))},
            {"workspace_bytes", static_cast<std::int64_t>(workspace_.bytes())}};
  }

 private:
  static constexpr std::uint32_t kX = 1, kY = 2, kW = 3;

  void choose(const std::string& algorithm) {
    if (algorithm == "heuristic") {
      algorithm_ = by_heuristic();
    } else if (algorithm == "search") {
      algorithm_ = by_search();
    } else {
      const auto& names = passes()[static_cast<std::size_t>(pass_)].algorithms;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == algorithm) algorithm_ = static_cast<int>(i);
      }
    }
    workspace_ = DeviceMemory(workspace_bytes());
  }

  // The first choice that can run.
  template <typename Perf, typename Get>
  int first_usable(Get get) {
    std::array<Perf, 8> results{};
    int count = 0;
    PACELINE_CUDNN(get(static_cast<int>(results.size()), &count, results.data()));
    for (int i = 0; i < count; ++i) {
      const Perf& result = results[static_cast<std::size_t>(i)];
      if (result.status == CUDNN_STATUS_SUCCESS) return static_cast<int>(result.algo);
    }
    throw MeasurementError("cuDNN has no algorithm for this layer");
  }

  int by_heuristic() {
    if (pass_ == 0) {
      return first_usable<cudnnConvolutionFwdAlgoPerf_t>([&](int most, int* count, auto* out) {
        return cudnnGetConvolutionForwardAlgorithm_v7(handle_.get(), x_tensor_.get(), filter_.get(),
                                                      convolution_.get(), y_tensor_.get(), most,
                                                      count, out);
      });
    }
    if (pass_ == 1) {
      return first_usable<cudnnConvolutionBwdDataAlgoPerf_t>([&](int most, int* count, auto* out) {
        return cudnnGetConvolutionBackwardDataAlgorithm_v7(handle_.get(), filter_.get(),
                                                           y_tensor_.get(), convolution_.get(),
                                                           x_tensor_.get(), most, count, out);
      });
    }
    return first_usable<cudnnConvolutionBwdFilterAlgoPerf_t>([&](int most, int* count, auto* out) {
      return cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle_.get(), x_tensor_.get(),
                                                           y_tensor_.get(), convolution_.get(),
                                                           filter_.get(), most, count, out);
    });
  }

  // cuDNN's own timing of all algorithms: what a framework's "benchmark" mode does.
  int by_search() {
    if (pass_ == 0) {
      return first_usable<cudnnConvolutionFwdAlgoPerf_t>([&](int most, int* count, auto* out) {
        return cudnnFindConvolutionForwardAlgorithm(handle_.get(), x_tensor_.get(), filter_.get(),
                                                    convolution_.get(), y_tensor_.get(), most,
                                                    count, out);
      });
    }
    if (pass_ == 1) {
      return first_usable<cudnnConvolutionBwdDataAlgoPerf_t>([&](int most, int* count, auto* out) {
        return cudnnFindConvolutionBackwardDataAlgorithm(handle_.get(), filter_.get(),
                                                         y_tensor_.get(), convolution_.get(),
                                                         x_tensor_.get(), most, count, out);
      });
    }
    return first_usable<cudnnConvolutionBwdFilterAlgoPerf_t>([&](int most, int* count, auto* out) {
      return cudnnFindConvolutionBackwardFilterAlgorithm(handle_.get(), x_tensor_.get(),
                                                         y_tensor_.get(), convolution_.get(),
                                                         filter_.get(), most, count, out);
    });
  }

  std::size_t workspace_bytes() const {
    std::size_t bytes = 0;
    if (pass_ == 0) {
      PACELINE_CUDNN(cudnnGetConvolutionForwardWorkspaceSize(
          handle_.get(), x_tensor_.get(), filter_.get(), convolution_.get(), y_tensor_.get(),
          static_cast<cudnnConvolutionFwdAlgo_t>(algorithm_), &bytes));
    } else if (pass_ == 1) {
      PACELINE_CUDNN(cudnnGetConvolutionBackwardDataWorkspaceSize(
          handle_.get(), filter_.get(), y_tensor_.get(), convolution_.get(), x_tensor_.get(),
          static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm_), &bytes));
    } else {
      PACELINE_CUDNN(cudnnGetConvolutionBackwardFilterWorkspaceSize(
          handle_.get(), x_tensor_.get(), y_tensor_.get(), convolution_.get(), filter_.get(),
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm_), &bytes));
    }
    return bytes;
  }

  // Place of an element in the memory of a tensor of d channels, e x f.
  std::int64_t at(std::int64_t a, std::int64_t b, std::int64_t i, std::int64_t j, std::int64_t d,
                  std::int64_t e, std::int64_t f) const {
    return format_ == CUDNN_TENSOR_NCHW ? ((a * d + b) * e + i) * f + j
                                        : ((a * e + i) * f + j) * d + b;
  }
  std::int64_t x_at(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    return at(n, c, h, w, l_.c, l_.h, l_.w);
  }
  std::int64_t y_at(std::int64_t n, std::int64_t k, std::int64_t p, std::int64_t q) const {
    return at(n, k, p, q, l_.k, l_.p(), l_.q());
  }
  std::int64_t w_at(std::int64_t k, std::int64_t c, std::int64_t r, std::int64_t s) const {
    return at(k, c, r, s, l_.c / l_.groups, l_.r, l_.s);
  }
  double x(std::int64_t i) const { return random_element(i, type_, kX); }
  double y(std::int64_t i) const { return random_element(i, type_, kY); }
  double w(std::int64_t i) const { return random_element(i, type_, kW); }

  void require(const DeviceMemory& tensor, std::int64_t place, double expected,
               std::int64_t terms) const {
    // Winograd and FFT lose more than a plain sum.
    const double factor = precision_ == "fp32" ? 10 : 3;
    require_near(read_elements(tensor.data(), type_, {place}).front(), expected,
                 factor * sum_tolerance(terms, precision_), "element " + std::to_string(place));
  }

  // One output in the middle, from its definition; likewise below.
  void check_forward() const {
    const std::int64_t n = l_.n - 1, k = l_.k - 1, p = l_.p() / 2, q = l_.q() / 2;
    const std::int64_t channels = l_.c / l_.groups, group = k / (l_.k / l_.groups);
    double sum = 0;
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t r = 0; r < l_.r; ++r) {
        for (std::int64_t s = 0; s < l_.s; ++s) {
          const std::int64_t h = p * l_.stride - l_.pad + r, v = q * l_.stride - l_.pad + s;
          if (h < 0 || h >= l_.h || v < 0 || v >= l_.w) continue;
          sum += x(x_at(n, group * channels + c, h, v)) * w(w_at(k, c, r, s));
        }
      }
    }
    require(y_, y_at(n, k, p, q), sum, channels * l_.r * l_.s);
  }

  void check_dgrad() const {
    const std::int64_t n = l_.n - 1, c = l_.c - 1, h = l_.h / 2, v = l_.w / 2;
    const std::int64_t channels = l_.c / l_.groups, outputs = l_.k / l_.groups;
    const std::int64_t group = c / channels;
    double sum = 0;
    for (std::int64_t k = group * outputs; k < (group + 1) * outputs; ++k) {
      for (std::int64_t r = 0; r < l_.r; ++r) {
        for (std::int64_t s = 0; s < l_.s; ++s) {
          const std::int64_t a = h + l_.pad - r, b = v + l_.pad - s;
          if (a < 0 || b < 0 || a % l_.stride != 0 || b % l_.stride != 0) continue;
          const std::int64_t p = a / l_.stride, q = b / l_.stride;
          if (p >= l_.p() || q >= l_.q()) continue;
          sum += y(y_at(n, k, p, q)) * w(w_at(k, c % channels, r, s));
        }
      }
    }
    require(x_, x_at(n, c, h, v), sum, outputs * l_.r * l_.s);
  }

  void check_wgrad() const {
    const std::int64_t k = l_.k - 1, c = l_.c / l_.groups - 1, r = l_.r / 2, s = l_.s / 2;
    const std::int64_t group = k / (l_.k / l_.groups);
    double sum = 0;
    for (std::int64_t n = 0; n < l_.n; ++n) {
      for (std::int64_t p = 0; p < l_.p(); ++p) {
        for (std::int64_t q = 0; q < l_.q(); ++q) {
          const std::int64_t h = p * l_.stride - l_.pad + r, v = q * l_.stride - l_.pad + s;
          if (h < 0 || h >= l_.h || v < 0 || v >= l_.w) continue;
          sum += x(x_at(n, group * (l_.c / l_.groups) + c, h, v)) * y(y_at(n, k, p, q));
        }
      }
    }
    require(w_, w_at(k, c, r, s), sum, l_.n * l_.p() * l_.q());
  }

  Layer l_;
  int pass_;
  std::string precision_;
  ElementType type_;
  cudnnTensorFormat_t format_;
  int algorithm_ = 0;
  CudnnHandle handle_;
  CudnnTensor x_tensor_, y_tensor_;
  CudnnFilter filter_;
  CudnnConvolution convolution_;
  DeviceMemory x_, y_, w_, workspace_;
};

// 1x1, 3x3, 5x5, 7x7; strided; few and many channels; grouped and depthwise.
constexpr std::array<Layer, 12> kLayers = {{{32, 96, 30, 30, 96, 3, 3, 1, 1, 1, true},
                                            {32, 320, 15, 15, 320, 3, 3, 1, 1, 1, true},
                                            {32, 240, 30, 30, 480, 1, 1, 0, 1, 1, true},
                                            {32, 3, 240, 240, 48, 7, 7, 3, 2, 1, true},
                                            {16, 48, 120, 120, 48, 3, 3, 1, 1, 1, false},
                                            {64, 800, 8, 8, 400, 1, 1, 0, 1, 1, false},
                                            {32, 96, 60, 60, 192, 3, 3, 1, 2, 1, false},
                                            {32, 40, 45, 45, 80, 5, 5, 2, 1, 1, false},
                                            {32, 480, 30, 30, 240, 1, 1, 0, 2, 1, false},
                                            {32, 320, 30, 30, 320, 3, 3, 1, 1, 20, false},
                                            {32, 240, 30, 30, 240, 3, 3, 1, 1, 240, false},
                                            {4, 480, 15, 15, 960, 3, 3, 1, 1, 1, false}}};

class Convolution final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    std::vector<Axes> out;
    for (const Layer& layer : kLayers) {
      if (size == GpuDesign::kQuick && !layer.quick) continue;
      for (const PassCalls& pass : passes()) add(layer, pass, size, gpu, out);
    }
    return out;
  }

  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuDevice&) const override {
    const auto number = [&](const char* axis) { return integer_axis(axes, axis, "cudnn.conv"); };
    const auto text = [&](const char* axis) { return text_axis(axes, axis, "cudnn.conv"); };
    const Layer layer = {number("n"),        number("c"),      number("h"), number("w"),
                         number("k"),        number("r"),      number("s"), number("pad_h"),
                         number("stride_h"), number("groups"), false};
    return std::make_unique<ConvKernel>(layer, text("pass"), text("precision"),
                                        text("layout") == "channels_last", text("algorithm"));
  }

 private:
  static void add(const Layer& layer, const PassCalls& pass, GpuDesign size, const GpuInfo& gpu,
                  std::vector<Axes>& out) {
    const bool ampere = gpu.capability_major >= 8;
    out.push_back(axes(layer, pass, "fp16", "channels_last", "heuristic"));
    out.push_back(axes(layer, pass, "fp32", "channels_first", "heuristic"));
    if (ampere) out.push_back(axes(layer, pass, "tf32", "channels_first", "heuristic"));
    if (size == GpuDesign::kQuick) return;
    out.push_back(axes(layer, pass, "fp16", "channels_first", "heuristic"));
    if (ampere) out.push_back(axes(layer, pass, "bf16", "channels_last", "heuristic"));
    out.push_back(axes(layer, pass, "fp32", "channels_first", "search"));
    if (!layer.quick) return;
    for (const char* algorithm : pass.algorithms) {
      out.push_back(axes(layer, pass, "fp32", "channels_first", algorithm));
    }
  }

  static Axes axes(const Layer& l, const PassCalls& pass, const char* precision, const char* layout,
                   const char* algorithm) {
    Axes out = integer_axes({{"n", l.n},
                             {"c", l.c},
                             {"h", l.h},
                             {"w", l.w},
                             {"k", l.k},
                             {"r", l.r},
                             {"s", l.s},
                             {"pad_h", l.pad},
                             {"pad_w", l.pad},
                             {"stride_h", l.stride},
                             {"stride_w", l.stride},
                             {"groups", l.groups}});
    out["pass"] = std::string(pass.name);
    out["precision"] = std::string(precision);
    out["layout"] = std::string(layout);
    out["algorithm"] = std::string(algorithm);
    return out;
  }
};

}  // namespace

void register_cudnn_convolution(GpuBenchmarkRegistry& registry) {
  registry.add("cudnn.conv", "convolutions of cuDNN: its choice, its search, every algorithm",
               std::make_unique<Convolution>());
}

}  // namespace paceline
