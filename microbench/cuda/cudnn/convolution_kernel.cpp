#include "microbench/cuda/cudnn/convolution_kernel.h"

#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/support/axes.h"

namespace paceline {
namespace {

int pass_index(const std::string& pass) {
  for (int i = 0; i < 3; ++i) {
    if (conv_passes()[static_cast<std::size_t>(i)].name == pass) return i;
  }
  throw MeasurementError("unknown pass " + pass);
}

class ConvKernel final : public GpuKernel {
 public:
  ConvKernel(const ConvLayer& layer, const std::string& pass, const std::string& precision,
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
    PACELINE_CUDNN(cudnnSetConvolutionMathType(convolution_.get(), math_type()));
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
    check_element();
  }

  Axes facts() const override {
    const auto& names = conv_passes()[static_cast<std::size_t>(pass_)].algorithms;
    return {{"algorithm", std::string(names.at(static_cast<std::size_t>(algorithm_)))},
            {"workspace_bytes", static_cast<std::int64_t>(workspace_.bytes())}};
  }

 private:
  static constexpr std::uint32_t kX = 1, kY = 2, kW = 3;

  // As frameworks set it: of fp32 operands the default mode makes TF32.
  cudnnMathType_t math_type() const {
    if (type_ != ElementType::kFp32) return CUDNN_TENSOR_OP_MATH;
    return precision_ == "tf32" ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
  }

  void choose(const std::string& algorithm) {
    if (algorithm == "heuristic") {
      algorithm_ = by_heuristic();
    } else if (algorithm == "search") {
      algorithm_ = by_search();
    } else {
      const auto& names = conv_passes()[static_cast<std::size_t>(pass_)].algorithms;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == algorithm) algorithm_ = static_cast<int>(i);
      }
    }
    workspace_ = DeviceBuffer(workspace_bytes());
  }

  // The first choice that can run.
  template <typename Perf, typename Get>
  int first_usable(Get get) {
    std::array<Perf, 8> results{};
    int count = 0;
    PACELINE_CUDNN(get(static_cast<int>(results.size()), &count, results.data()));
    for (int i = 0; i < count; ++i) {
      const Perf& result = results[static_cast<std::size_t>(i)];
      if (result.status != CUDNN_STATUS_SUCCESS) continue;
      // An algorithm is listed once with the matrix units and once without.
      PACELINE_CUDNN(cudnnSetConvolutionMathType(convolution_.get(), result.mathType));
      return static_cast<int>(result.algo);
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
    const int found = search();
    cudaGetLastError();  // of algorithms that did not fit
    return found;
  }
  int search() {
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

  // Place in the memory of a tensor of these extents, channels first or last.
  std::int64_t index_of(const ConvPlace& at, const ConvPlace& extents) const {
    const auto [a, b, i, j] = at;
    return format_ == CUDNN_TENSOR_NCHW ? ((a * extents[1] + b) * extents[2] + i) * extents[3] + j
                                        : ((a * extents[2] + i) * extents[3] + j) * extents[1] + b;
  }
  ConvPlace x_extents() const { return {l_.n, l_.c, l_.h, l_.w}; }
  ConvPlace y_extents() const { return {l_.n, l_.k, l_.p(), l_.q()}; }
  ConvPlace w_extents() const { return {l_.k, l_.group_inputs(), l_.r, l_.s}; }
  ConvTensor operand(const ConvPlace& extents, std::uint32_t seed) const {
    return [this, extents, seed](const ConvPlace& at) {
      return random_element(index_of(at, extents), type_, seed);
    };
  }

  // One element of the result, far from the first, against its definition.
  void check_element() const {
    const ConvTensor x = operand(x_extents(), kX), y = operand(y_extents(), kY),
                     w = operand(w_extents(), kW);
    if (pass_ == 0) {
      const ConvPlace at = {l_.n - 1, l_.k - 1, l_.p() / 2, l_.q() / 2};
      require(y_, index_of(at, y_extents()), conv_output(l_, x, w, at),
              l_.group_inputs() * l_.r * l_.s);
    } else if (pass_ == 1) {
      const ConvPlace at = {l_.n - 1, l_.c - 1, l_.h / 2, l_.w / 2};
      require(x_, index_of(at, x_extents()), conv_input_gradient(l_, y, w, at),
              l_.group_outputs() * l_.r * l_.s);
    } else {
      const ConvPlace at = {l_.k - 1, l_.group_inputs() - 1, l_.r / 2, l_.s / 2};
      require(w_, index_of(at, w_extents()), conv_filter_gradient(l_, x, y, at),
              l_.n * l_.p() * l_.q());
    }
  }

  void require(const DeviceBuffer& tensor, std::int64_t place, double expected,
               std::int64_t terms) const {
    // Winograd and FFT lose more than a plain sum.
    const double factor = precision_ == "fp32" ? 10 : 3;
    require_near(read_elements(tensor.data(), type_, {place}).front(), expected,
                 factor * sum_tolerance(terms, precision_), "element " + std::to_string(place));
  }

  ConvLayer l_;
  int pass_;
  std::string precision_;
  ElementType type_;
  cudnnTensorFormat_t format_;
  int algorithm_ = 0;
  CudnnHandle handle_;
  CudnnTensor x_tensor_, y_tensor_;
  CudnnFilter filter_;
  CudnnConvolution convolution_;
  DeviceBuffer x_, y_, w_, workspace_;
};

}  // namespace

const std::array<ConvPass, 3>& conv_passes() {
  static const std::array<ConvPass, 3> kPasses = {
      {{"forward",
        {"implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling",
         "winograd", "winograd_nonfused"}},
       {"dgrad", {"0", "1", "fft", "fft_tiling", "winograd", "winograd_nonfused"}},
       {"wgrad", {"0", "1", "fft", "3", "winograd", "winograd_nonfused", "fft_tiling"}}}};
  return kPasses;
}

std::unique_ptr<GpuKernel> make_conv_kernel(const ConvLayer& layer, const std::string& pass,
                                            const std::string& precision, bool channels_last,
                                            const std::string& algorithm) {
  return std::make_unique<ConvKernel>(layer, pass, precision, channels_last, algorithm);
}

}  // namespace paceline
