// Recurrent layers of cuDNN over all steps: forward, and the gradients of data and of weights.
#include <array>

#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/support/axes.h"

namespace paceline {
namespace {

cudnnRNNMode_t mode_of(std::int64_t gates) {
  if (gates == 4) return CUDNN_LSTM;
  return gates == 3 ? CUDNN_GRU : CUDNN_RNN_TANH;
}

struct Shape {
  std::int64_t gates, input, hidden, batch, steps, layers;
};

class RnnKernel final : public GpuKernel {
 public:
  RnnKernel(const Shape& shape, std::string pass, const std::string& precision)
      : s_(shape),
        pass_(std::move(pass)),
        type_(storage_type(precision)),
        lengths_host_(static_cast<std::size_t>(shape.batch), static_cast<int>(shape.steps)) {
    describe(precision);
    make_operands();
    if (pass_ != "forward") forward();  // fills the reserve
  }

  void launch() override {
    if (pass_ == "forward") return forward();
    if (pass_ == "dgrad") return backward_data();
    backward_weights();
  }

  // Outputs of a tanh or a gated cell lie between -1 and 1 and differ from one another; gradients
  // are finite and not all zero.
  void check() override {
    if (pass_ == "wgrad") backward_data();
    launch();
    PACELINE_CUDA(cudaDeviceSynchronize());
    const std::int64_t count = pass_ == "forward" ? outputs() : inputs();
    const DeviceBuffer& result = pass_ == "forward" ? y_ : pass_ == "dgrad" ? dx_ : dw_;
    const std::int64_t last = pass_ == "wgrad" ? weight_count() - 1 : count - 1;
    const std::vector<double> values =
        read_elements(result.data(), type_, {0, last / 3, last / 2, last});
    double largest = 0;
    for (const double value : values) {
      if (!std::isfinite(value)) throw MeasurementError("wrong result: a value is not finite");
      largest = std::max(largest, std::abs(value));
    }
    if (largest == 0) throw MeasurementError("wrong result: zero everywhere");
    if (pass_ == "forward" && largest > 1.001) {
      throw MeasurementError("wrong result: an output above 1");
    }
  }

  Axes facts() const override {
    return {{"workspace_bytes", static_cast<std::int64_t>(workspace_.bytes())},
            {"reserve_bytes", static_cast<std::int64_t>(reserve_.bytes())}};
  }

 private:
  std::int64_t inputs() const { return s_.steps * s_.batch * s_.input; }
  std::int64_t outputs() const { return s_.steps * s_.batch * s_.hidden; }
  std::int64_t weight_count() const {
    return static_cast<std::int64_t>(weight_bytes_ / element_bytes(type_));
  }

  void describe(const std::string& precision) {
    const auto i = [](std::int64_t v) { return static_cast<int>(v); };
    PACELINE_CUDNN(cudnnSetDropoutDescriptor(dropout_.get(), handle_.get(), 0, nullptr, 0, 0));
    PACELINE_CUDNN(cudnnSetRNNDescriptor_v8(
        rnn_.get(), CUDNN_RNN_ALGO_STANDARD, mode_of(s_.gates), CUDNN_RNN_DOUBLE_BIAS,
        CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, cudnn_type(type_), CUDNN_DATA_FLOAT,
        precision == "fp32" ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH, i(s_.input), i(s_.hidden),
        i(s_.hidden), i(s_.layers), dropout_.get(), 0));
    const auto set = [&](const CudnnRnnData& data, std::int64_t width) {
      PACELINE_CUDNN(cudnnSetRNNDataDescriptor(
          data.get(), cudnn_type(type_), CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, i(s_.steps),
          i(s_.batch), i(width), lengths_host_.data(), nullptr));
    };
    set(x_data_, s_.input);
    set(y_data_, s_.hidden);
    const std::array<int, 3> dims = {i(s_.layers), i(s_.batch), i(s_.hidden)};
    const std::array<int, 3> strides = {dims[1] * dims[2], dims[2], 1};
    PACELINE_CUDNN(cudnnSetTensorNdDescriptor(state_.get(), cudnn_type(type_), 3, dims.data(),
                                              strides.data()));
  }

  void make_operands() {
    PACELINE_CUDNN(cudnnGetRNNWeightSpaceSize(handle_.get(), rnn_.get(), &weight_bytes_));
    std::size_t workspace = 0, reserve = 0;
    PACELINE_CUDNN(cudnnGetRNNTempSpaceSizes(handle_.get(), rnn_.get(), CUDNN_FWD_MODE_TRAINING,
                                             x_data_.get(), &workspace, &reserve));
    workspace_ = DeviceBuffer(workspace);
    reserve_ = DeviceBuffer(reserve);
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(s_.hidden)));
    w_ = random_tensor(weight_count(), type_, 1, scale);
    dw_ = DeviceBuffer(weight_bytes_);
    PACELINE_CUDA(cudaMemset(dw_.data(), 0, weight_bytes_));
    x_ = random_tensor(inputs(), type_, 2);
    dx_ = DeviceBuffer(x_.bytes());
    y_ = DeviceBuffer(static_cast<std::size_t>(outputs()) * element_bytes(type_));
    dy_ = random_tensor(outputs(), type_, 3);
    lengths_ = DeviceBuffer(lengths_host_.size() * sizeof(int));
    PACELINE_CUDA(cudaMemcpy(lengths_.data(), lengths_host_.data(), lengths_.bytes(),
                             cudaMemcpyHostToDevice));
  }

  void forward() const {
    PACELINE_CUDNN(cudnnRNNForward(
        handle_.get(), rnn_.get(), CUDNN_FWD_MODE_TRAINING, lengths_.as<std::int32_t>(),
        x_data_.get(), x_.data(), y_data_.get(), y_.data(), state_.get(), nullptr, nullptr,
        state_.get(), nullptr, nullptr, weight_bytes_, w_.data(), workspace_.bytes(),
        workspace_.data(), reserve_.bytes(), reserve_.data()));
  }
  void backward_data() const {
    PACELINE_CUDNN(cudnnRNNBackwardData_v8(
        handle_.get(), rnn_.get(), lengths_.as<std::int32_t>(), y_data_.get(), y_.data(),
        dy_.data(), x_data_.get(), dx_.data(), state_.get(), nullptr, nullptr, nullptr,
        state_.get(), nullptr, nullptr, nullptr, weight_bytes_, w_.data(), workspace_.bytes(),
        workspace_.data(), reserve_.bytes(), reserve_.data()));
  }
  void backward_weights() const {
    PACELINE_CUDNN(cudnnRNNBackwardWeights_v8(
        handle_.get(), rnn_.get(), CUDNN_WGRAD_MODE_ADD, lengths_.as<std::int32_t>(), x_data_.get(),
        x_.data(), state_.get(), nullptr, y_data_.get(), y_.data(), weight_bytes_, dw_.data(),
        workspace_.bytes(), workspace_.data(), reserve_.bytes(), reserve_.data()));
  }

  Shape s_;
  std::string pass_;
  ElementType type_;
  std::vector<int> lengths_host_;
  CudnnHandle handle_;
  CudnnDropout dropout_;
  CudnnRnn rnn_;
  CudnnRnnData x_data_, y_data_;
  CudnnTensor state_;
  std::size_t weight_bytes_ = 0;
  DeviceBuffer w_, dw_, x_, dx_, y_, dy_, lengths_, workspace_, reserve_;
};

constexpr std::array<Shape, 10> kShapes = {{{4, 600, 600, 48, 24, 1},
                                            {4, 1200, 1200, 24, 40, 1},
                                            {3, 600, 600, 48, 24, 1},
                                            {4, 240, 240, 96, 56, 2},
                                            {4, 2000, 2000, 16, 20, 1},
                                            {3, 1200, 1200, 24, 40, 1},
                                            {1, 1500, 1500, 24, 40, 1},
                                            {4, 600, 600, 16, 24, 1},
                                            {4, 400, 1600, 48, 12, 1},
                                            {3, 2000, 2000, 16, 100, 1}}};

class Recurrent final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo&) const override {
    std::vector<Axes> out;
    for (std::size_t i = 0; i < (size == GpuDesign::kQuick ? 3 : kShapes.size()); ++i) {
      const Shape& s = kShapes[i];
      for (const char* precision : {"fp32", "fp16"}) {
        for (const char* pass : {"forward", "dgrad", "wgrad"}) {
          Axes axes = integer_axes({{"gates", s.gates},
                                    {"input", s.input},
                                    {"hidden", s.hidden},
                                    {"batch", s.batch},
                                    {"steps", s.steps},
                                    {"layers", s.layers}});
          axes["precision"] = std::string(precision);
          axes["pass"] = std::string(pass);
          out.push_back(std::move(axes));
        }
      }
    }
    return out;
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    const auto number = [&](const char* axis) { return integer_axis(axes, axis, "cudnn.rnn"); };
    return std::make_unique<RnnKernel>(Shape{number("gates"), number("input"), number("hidden"),
                                             number("batch"), number("steps"), number("layers")},
                                       text_axis(axes, "pass", "cudnn.rnn"),
                                       text_axis(axes, "precision", "cudnn.rnn"));
  }
};

}  // namespace

void register_cudnn_recurrent(GpuBenchmarkRegistry& registry) {
  registry.add("cudnn.rnn", "RNN, GRU and LSTM layers of cuDNN, three passes",
               std::make_unique<Recurrent>());
}

}  // namespace paceline
