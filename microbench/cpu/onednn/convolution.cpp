// oneDNN's direct convolution, forward and both backward passes, in the blocked layouts it chooses
// itself. This is what PyTorch executes for a convolution on a CPU, apart from the reorders between
// plain and blocked layouts (reorder.cpp).
#include <cmath>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "microbench/benchmark.h"
#include "microbench/cpu/check.h"
#include "microbench/cpu/convolution_reference.h"
#include "microbench/cpu/design.h"

namespace paceline {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

constexpr auto kType = memory::data_type::f32;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// n c h w -> k filters r x r, stride, padding.
struct Layer {
  std::int64_t n, c, h, k, r, stride, pad;
};

// Sizes and channels as image networks have them, but none of theirs.
const std::vector<Layer> kLayers = {
    // first layers
    {4, 3, 160, 48, 7, 2, 3},
    {8, 3, 96, 96, 5, 2, 2},
    {2, 3, 200, 32, 3, 2, 1},
    {4, 3, 180, 80, 9, 4, 0},
    // 3x3, stride 1
    {2, 48, 96, 48, 3, 1, 1},
    {4, 80, 48, 80, 3, 1, 1},
    {8, 96, 40, 96, 3, 1, 1},
    {16, 32, 62, 32, 3, 1, 1},
    {4, 160, 31, 160, 3, 1, 1},
    {8, 192, 20, 160, 3, 1, 1},
    {16, 320, 12, 320, 3, 1, 1},
    {8, 448, 9, 448, 3, 1, 1},
    {32, 224, 9, 224, 3, 1, 1},
    {1, 640, 15, 320, 3, 1, 1},
    // 3x3, stride 2
    {4, 96, 62, 96, 3, 2, 1},
    {8, 160, 40, 160, 3, 2, 1},
    {16, 320, 20, 320, 3, 2, 1},
    // 5x5
    {4, 48, 40, 96, 5, 1, 2},
    {16, 80, 20, 160, 5, 1, 2},
    // 1x1
    {16, 48, 62, 192, 1, 1, 0},
    {16, 192, 48, 48, 1, 1, 0},
    {4, 320, 40, 80, 1, 1, 0},
    {16, 96, 31, 448, 1, 1, 0},
    {16, 640, 20, 160, 1, 1, 0},
    {16, 224, 15, 896, 1, 1, 0},
    {32, 960, 9, 320, 1, 1, 0},
    {16, 448, 12, 960, 1, 1, 0},
    // 1x1, stride 2
    {8, 192, 62, 384, 1, 2, 0},
    {16, 640, 26, 896, 1, 2, 0},
    // channels that are no multiple of 16
    {8, 100, 26, 150, 3, 1, 1},
};

enum class Direction { kForward, kDgrad, kWgrad };

Direction direction_of(const Axes& axes) {
  const std::string pass = text_axis(axes, "pass", "onednn.conv");
  if (pass == "forward") return Direction::kForward;
  return pass == "dgrad" ? Direction::kDgrad : Direction::kWgrad;
}

Axes axes_of_layer(const Layer& layer, const std::string& pass) {
  Axes axes = axes_of({{"n", layer.n},
                       {"c", layer.c},
                       {"h", layer.h},
                       {"w", layer.h},
                       {"k", layer.k},
                       {"r", layer.r},
                       {"s", layer.r},
                       {"pad_h", layer.pad},
                       {"pad_w", layer.pad},
                       {"stride_h", layer.stride},
                       {"stride_w", layer.stride},
                       {"groups", 1}});
  axes["pass"] = pass;
  return axes;
}

ConvolutionSizes sizes_of(const Axes& axes) {
  const auto get = [&](const char* axis) { return integer_axis(axes, axis, "onednn.conv"); };
  return {get("n"), get("c"), get("h"), get("k"), get("r"), get("stride_h"), get("pad_h")};
}

// The primitive with the layouts it chose for its operands.
struct Operation {
  dnnl::primitive primitive;
  memory::desc source, weights, destination, scratchpad;
};

template <typename Descriptor>
Operation operation_of(const Descriptor& d, const memory::desc& source, const memory::desc& weights,
                       const memory::desc& destination) {
  return {dnnl::primitive(d), source, weights, destination, d.scratchpad_desc()};
}

Operation make_operation(Direction direction, const ConvolutionSizes& s,
                         const dnnl::engine& engine) {
  const memory::desc source({s.n, s.c, s.h, s.h}, kType, Tag::any);
  const memory::desc weights({s.k, s.c, s.r, s.r}, kType, Tag::any);
  const memory::desc destination({s.n, s.k, s.out(), s.out()}, kType, Tag::any);
  const memory::dims stride = {s.stride, s.stride}, pad = {s.pad, s.pad};
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kDirect, source, weights, destination, stride, pad, pad},
      attributes, engine);
  if (direction == Direction::kForward) {
    return operation_of(forward, forward.src_desc(), forward.weights_desc(), forward.dst_desc());
  }
  if (direction == Direction::kDgrad) {
    const dnnl::convolution_backward_data::primitive_desc d(
        {kDirect, source, weights, destination, stride, pad, pad}, attributes, engine, forward);
    return operation_of(d, d.diff_src_desc(), d.weights_desc(), d.diff_dst_desc());
  }
  const dnnl::convolution_backward_weights::primitive_desc d(
      {kDirect, source, weights, destination, stride, pad, pad}, attributes, engine, forward);
  return operation_of(d, d.src_desc(), d.diff_weights_desc(), d.diff_dst_desc());
}

// Two inputs and one result; which is which depends on the pass.
struct Roles {
  const memory::desc* inputs[2];
  const memory::desc* result;
  int input_arguments[2];
  int result_argument;
};

Roles roles_of(Direction direction, const Operation& o) {
  switch (direction) {
    case Direction::kForward:
      return {
          {&o.source, &o.weights}, &o.destination, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS}, DNNL_ARG_DST};
    case Direction::kDgrad:
      return {{&o.destination, &o.weights},
              &o.source,
              {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS},
              DNNL_ARG_DIFF_SRC};
    case Direction::kWgrad:
      break;
  }
  return {{&o.source, &o.destination},
          &o.weights,
          {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST},
          DNNL_ARG_DIFF_WEIGHTS};
}

using Arguments = std::unordered_map<int, memory>;

class ConvolutionKernel final : public PreparedKernel {
 public:
  ConvolutionKernel(Direction direction, const ConvolutionSizes& sizes, CacheState state,
                    Workspace& workspace)
      : direction_(direction),
        sizes_(sizes),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        operation_(make_operation(direction, sizes, engine_)),
        roles_(roles_of(direction_, operation_)),
        scratchpad_(operation_.scratchpad, engine_),
        sets_(workspace, {roles_.inputs[0]->get_size(), roles_.inputs[1]->get_size()},
              {roles_.result->get_size()}, state) {
    for (std::size_t set = 0; set < sets_.count(); ++set) arguments_.push_back(arguments_of(set));
  }

  void run() override { execute(arguments_[sets_.next()]); }

  // On operands of its own: blocked layouts pad channels with zeros, which timing does not need.
  void check() override {
    const memory first = plain(*roles_.inputs[0], sets_.input(0, 0));
    const memory second = plain(*roles_.inputs[1], sets_.input(1, 0));
    const memory result(*roles_.result, engine_);
    execute({{roles_.input_arguments[0], reordered(first, *roles_.inputs[0])},
             {roles_.input_arguments[1], reordered(second, *roles_.inputs[1])},
             {roles_.result_argument, result},
             {DNNL_ARG_SCRATCHPAD, scratchpad_}});
    const memory found = reordered(result, plain_desc(*roles_.result));
    compare(values(first), values(second), values(found),
            found.get_desc().get_size() / sizeof(float));
  }

 private:
  static const float* values(const memory& m) { return static_cast<float*>(m.get_data_handle()); }

  static memory::desc plain_desc(const memory::desc& desc) {
    return memory::desc(desc.dims(), kType, Tag::abcd);
  }

  memory plain(const memory::desc& desc, const float* data) const {
    return memory(plain_desc(desc), engine_, const_cast<float*>(data));  // read only
  }

  memory reordered(const memory& from, const memory::desc& to) {
    memory out(to, engine_);
    memory source = from;
    dnnl::reorder(source, out).execute(stream_, source, out);
    stream_.wait();
    return out;
  }

  Arguments arguments_of(std::size_t set) const {
    Arguments out;
    for (std::size_t i = 0; i < 2; ++i) {
      float* data = const_cast<float*>(sets_.input(i, set));  // read only
      out.emplace(roles_.input_arguments[i], memory(*roles_.inputs[i], engine_, data));
    }
    out.emplace(roles_.result_argument, memory(*roles_.result, engine_, sets_.output(0, set)));
    out.emplace(DNNL_ARG_SCRATCHPAD, scratchpad_);
    return out;
  }

  void execute(const Arguments& arguments) {
    operation_.primitive.execute(stream_, arguments);
    stream_.wait();
  }

  void compare(const float* first, const float* second, const float* found,
               std::size_t size) const {
    for (const std::size_t index : spread_indices(size, 9)) {
      ReferenceSum expected;
      switch (direction_) {
        case Direction::kForward:
          expected = reference_forward(sizes_, first, second, index);
          break;
        case Direction::kDgrad:
          expected = reference_dgrad(sizes_, first, second, index);
          break;
        case Direction::kWgrad:
          expected = reference_wgrad(sizes_, first, second, index);
          break;
      }
      require_close("element " + std::to_string(index), found[index], expected.value,
                    std::sqrt(1 + static_cast<double>(expected.terms)));
    }
  }

  Direction direction_;
  ConvolutionSizes sizes_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  Operation operation_;
  Roles roles_;
  memory scratchpad_;
  OperandSets sets_;
  std::vector<Arguments> arguments_;
};

class Convolution final : public Benchmark {
 public:
  std::vector<Axes> design(DesignSize size) const override {
    std::vector<Axes> out;
    for (std::size_t i = 0; i < kLayers.size(); i += size == DesignSize::kFull ? 1 : 3) {
      for (const char* pass : {"forward", "dgrad", "wgrad"}) {
        add_cold(out, axes_of_layer(kLayers[i], pass));
      }
    }
    return out;
  }

  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace& workspace) const override {
    return std::make_unique<ConvolutionKernel>(direction_of(axes), sizes_of(axes),
                                               cache_state(axes), workspace);
  }
};

}  // namespace

void register_convolution(BenchmarkRegistry& registry) {
  registry.add("onednn.conv", "direct convolution in blocked layouts: forward, dgrad, wgrad",
               std::make_unique<Convolution>());
}

}  // namespace paceline
