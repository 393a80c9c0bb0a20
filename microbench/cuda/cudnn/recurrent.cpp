// Recurrent layers of cuDNN over all steps: forward, and the gradients of data and of weights.
#include <array>

#include "microbench/cuda/cudnn/cudnn_handle.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/gpu/recurrent_reference.h"

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

  // Outputs of a tanh or a gated cell lie between -1 and 1, and those of the first step follow from
  // the inputs alone; gradients are finite and not all zero, and those of the two biases of a gate,
  // which are only ever added up, are equal.
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
    if (pass_ == "forward" && s_.layers == 1) check_first_step();
    if (pass_ == "wgrad") check_bias_gradients();
  }

  Axes facts() const override {
    return {{"workspace_bytes", static_cast<std::int64_t>(workspace_.bytes())},
            {"reserve_bytes", static_cast<std::int64_t>(reserve_.bytes())}};
  }

 private:
  static constexpr std::uint32_t kWeights = 1, kInputs = 2;

  // Where the matrix and the bias of the first layer begin in the weights, in elements; `number` is
  // that of a gate, or of a gate plus their count for what multiplies the state.
  struct Place {
    std::int64_t matrix, bias;
  };
  Place place_of(std::int64_t number, const DeviceBuffer& weights) const {
    const CudnnTensor matrix, bias;
    void *matrix_at = nullptr, *bias_at = nullptr;
    PACELINE_CUDNN(cudnnGetRNNWeightParams(handle_.get(), rnn_.get(), 0, weight_bytes_,
                                           weights.data(), static_cast<int>(number), matrix.get(),
                                           &matrix_at, bias.get(), &bias_at));
    const auto elements = [&](const void* at) {
      return (static_cast<const char*>(at) - weights.as<char>()) /
             static_cast<std::int64_t>(element_bytes(type_));
    };
    return {elements(matrix_at), elements(bias_at)};
  }

  // The last unit of the last sequence.
  void check_first_step() const {
    const std::int64_t unit = s_.hidden - 1, sequence = s_.batch - 1;
    std::vector<double> of_input, of_state;
    for (std::int64_t gate = 0; gate < s_.gates; ++gate) {
      const Place input = place_of(gate, w_), state = place_of(s_.gates + gate, w_);
      double sum = weight(input.bias + unit);
      for (std::int64_t c = 0; c < s_.input; ++c) {
        sum += weight(input.matrix + unit * s_.input + c) *
               random_element(sequence * s_.input + c, type_, kInputs);
      }
      of_input.push_back(sum);
      of_state.push_back(weight(state.bias + unit));
    }
    const std::int64_t at = sequence * s_.hidden + unit;
    require_near(read_elements(y_.data(), type_, {at}).front(),
                 recurrent_first_output(of_input, of_state), tolerance(),
                 "an output of the first step");
  }

  void check_bias_gradients() const {
    const std::int64_t unit = s_.hidden - 1;
    const std::vector<double> found = read_elements(
        dw_.data(), type_, {place_of(0, dw_).bias + unit, place_of(s_.gates, dw_).bias + unit});
    require_near(found[0], found[1], tolerance() * (1 + std::abs(found[1])),
                 "the gradient of a bias");
  }
  double weight(std::int64_t place) const {
    return random_element(place, type_, kWeights, weight_scale());
  }
  double tolerance() const { return type_ == ElementType::kFp32 ? 1e-4 : 1e-2; }

  std::int64_t inputs() const { return s_.steps * s_.batch * s_.input; }
  std::int64_t outputs() const { return s_.steps * s_.batch * s_.hidden; }
  float weight_scale() const {
    return static_cast<float>(1 / std::sqrt(static_cast<double>(s_.hidden)));
  }
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
        i(s_.hidden), i(s_.layers), dropout_.get(), CUDNN_RNN_PADDED_IO_ENABLED));
    // Unpacked layouts need that flag; frameworks use them for batches of equal lengths.
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
    w_ = random_tensor(weight_count(), type_, kWeights, weight_scale());
    dw_ = DeviceBuffer(weight_bytes_);
    PACELINE_CUDA(cudaMemset(dw_.data(), 0, weight_bytes_));
    x_ = random_tensor(inputs(), type_, kInputs);
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
