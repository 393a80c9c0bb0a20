// oneDNN's LSTM layer over a whole sequence, forward in training mode. PyTorch on a CPU does not
// use it (it calls one product and ten elementwise kernels per step); it shows what that costs.
#include <cmath>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "microbench/benchmark.h"
#include "microbench/cpu/check.h"
#include "microbench/cpu/design.h"

namespace paceline {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

struct Layer {
  std::int64_t steps, batch, hidden;  // the input is as wide as the state
};
const std::vector<Layer> kLayers = {{20, 20, 192}, {24, 48, 320}, {40, 96, 192}, {12, 80, 640}};

memory::desc floats(const memory::dims& dims, Tag tag) {
  return memory::desc(dims, memory::data_type::f32, tag);
}

dnnl::lstm_forward::primitive_desc describe(const Layer& l, const dnnl::engine& engine) {
  const memory::desc layer = floats({l.steps, l.batch, l.hidden}, Tag::tnc);
  const memory::desc state = floats({1, 1, l.batch, l.hidden}, Tag::ldnc);
  const memory::desc weights = floats({1, 1, l.hidden, 4, l.hidden}, Tag::any);
  const memory::desc bias = floats({1, 1, 4, l.hidden}, Tag::ldgo);
  return {{dnnl::prop_kind::forward_training, dnnl::rnn_direction::unidirectional_left2right, layer,
           state, state, weights, weights, bias, layer, state, state},
          engine};
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

class LstmKernel final : public PreparedKernel {
 public:
  LstmKernel(const Layer& layer, CacheState state, Workspace& workspace)
      : layer_(layer),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        description_(describe(layer, engine_)),
        primitive_(description_),
        workspace_(description_.workspace_desc(), engine_),
        sets_(workspace,
              {description_.src_layer_desc().get_size(), description_.src_iter_desc().get_size(),
               description_.weights_layer_desc().get_size()},
              {description_.dst_layer_desc().get_size(), description_.dst_iter_desc().get_size()},
              state) {
    fill_weights();
    for (std::size_t set = 0; set < sets_.count(); ++set) arguments_.push_back(arguments_of(set));
  }

  void run() override { execute(sets_.next()); }

  // The last step's state of the first sequence, from the definition of an LSTM.
  void check() override {
    execute(0);
    const std::vector<double> expected = reference_state();
    const std::int64_t last = (layer_.steps - 1) * layer_.batch * layer_.hidden;
    for (const std::size_t h : spread_indices(expected.size(), 16)) {
      require_close("state " + std::to_string(h), sets_.output(0, 0)[last + std::int64_t(h)],
                    expected[h], 1, 1e-3);
    }
  }

 private:
  using Arguments = std::unordered_map<int, memory>;

  // Plain weights i x 4 x h scaled to keep the gates out of saturation, then reordered.
  void fill_weights() {
    const auto h = static_cast<std::size_t>(layer_.hidden);
    plain_.resize(h * 4 * h);
    const float scale = 1 / std::sqrt(static_cast<float>(h));
    for (std::size_t i = 0; i < plain_.size(); ++i) plain_[i] = scale * sets_.input(0, 0)[i % 997];
    memory plain(floats({1, 1, layer_.hidden, 4, layer_.hidden}, Tag::ldigo), engine_,
                 plain_.data());
    weights_ = memory(description_.weights_layer_desc(), engine_);
    recurrent_ = memory(description_.weights_iter_desc(), engine_);
    dnnl::reorder(plain, weights_).execute(stream_, plain, weights_);
    dnnl::reorder(plain, recurrent_).execute(stream_, plain, recurrent_);
    bias_.assign(4 * h, 0);
    stream_.wait();
  }

  Arguments arguments_of(std::size_t set) {
    const auto input = [&](std::size_t operand, const memory::desc& desc) {
      return memory(desc, engine_, const_cast<float*>(sets_.input(operand, set)));  // read only
    };
    const memory::desc state = description_.src_iter_desc();
    return {
        {DNNL_ARG_SRC_LAYER, input(0, description_.src_layer_desc())},
        {DNNL_ARG_SRC_ITER, input(1, state)},
        {DNNL_ARG_SRC_ITER_C, input(1, description_.src_iter_c_desc())},
        {DNNL_ARG_WEIGHTS_LAYER, weights_},
        {DNNL_ARG_WEIGHTS_ITER, recurrent_},
        {DNNL_ARG_BIAS, memory(description_.bias_desc(), engine_, bias_.data())},
        {DNNL_ARG_DST_LAYER, memory(description_.dst_layer_desc(), engine_, sets_.output(0, set))},
        {DNNL_ARG_DST_ITER, memory(state, engine_, sets_.output(1, set))},
        {DNNL_ARG_DST_ITER_C, memory(description_.dst_iter_c_desc(), engine_)},
        {DNNL_ARG_WORKSPACE, workspace_}};
  }

  void execute(std::size_t set) {
    primitive_.execute(stream_, arguments_[set]);
    stream_.wait();
  }

  // Pre-activation of one gate (input, forget, candidate, output) of unit `h`.
  double gate(const std::vector<double>& x, const std::vector<double>& state, std::size_t number,
              std::size_t h) const {
    const std::size_t width = x.size();
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      sum += (x[i] + state[i]) * double{plain_[(i * 4 + number) * width + h]};
    }
    return sum;
  }

  std::vector<double> reference_state() const {
    const auto width = static_cast<std::size_t>(layer_.hidden);
    std::vector<double> state(sets_.input(1, 0), sets_.input(1, 0) + width), cell = state;
    for (std::int64_t step = 0; step < layer_.steps; ++step) {
      const float* start = sets_.input(0, 0) + step * layer_.batch * layer_.hidden;
      const std::vector<double> x(start, start + width), before = state;
      for (std::size_t h = 0; h < width; ++h) {
        cell[h] = sigmoid(gate(x, before, 1, h)) * cell[h] +
                  sigmoid(gate(x, before, 0, h)) * std::tanh(gate(x, before, 2, h));
        state[h] = sigmoid(gate(x, before, 3, h)) * std::tanh(cell[h]);
      }
    }
    return state;
  }

  Layer layer_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::lstm_forward::primitive_desc description_;
  dnnl::lstm_forward primitive_;
  memory workspace_, weights_, recurrent_;
  OperandSets sets_;
  std::vector<float> plain_, bias_;
  std::vector<Arguments> arguments_;
};

class Lstm final : public Benchmark {
 public:
  std::vector<Axes> design(DesignSize size) const override {
    std::vector<Axes> out;
    for (std::size_t i = 0; i < kLayers.size(); i += size == DesignSize::kFull ? 1 : 2) {
      const Layer& l = kLayers[i];
      Axes axes = axes_of(
          {{"steps", l.steps}, {"batch", l.batch}, {"hidden", l.hidden}, {"input", l.hidden}});
      axes["direction"] = "forward";
      add_cold(out, std::move(axes));
    }
    return out;
  }

  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace& workspace) const override {
    const auto get = [&](const char* axis) { return integer_axis(axes, axis, "onednn.lstm"); };
    return std::make_unique<LstmKernel>(Layer{get("steps"), get("batch"), get("hidden")},
                                        cache_state(axes), workspace);
  }
};

}  // namespace

void register_lstm(BenchmarkRegistry& registry) {
  registry.add("onednn.lstm", "an LSTM layer over a sequence, forward", std::make_unique<Lstm>());
}

}  // namespace paceline
