// oneDNN's reorders between the plain layout of a framework's tensors and the blocked layouts of
// its convolutions: for every convolution PyTorch reorders its inputs, weights and results.
#include <oneapi/dnnl/dnnl.hpp>

#include "microbench/benchmark.h"
#include "microbench/cpu/check.h"
#include "microbench/cpu/design.h"

namespace paceline {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

struct Shape {
  std::int64_t n, c, h;  // activations n c h h; weights n filters of c channels, h x h
};

const std::vector<Shape> kActivations = {{1, 48, 9},    {1, 96, 15},   {2, 80, 20},  {4, 96, 25},
                                         {4, 192, 31},  {8, 160, 40},  {16, 48, 62}, {16, 96, 62},
                                         {16, 192, 48}, {16, 448, 15}, {8, 48, 120}, {16, 320, 40}};
const std::vector<Shape> kWeights = {{48, 96, 1},  {160, 320, 1}, {448, 960, 1}, {48, 48, 3},
                                     {96, 160, 3}, {320, 320, 3}, {448, 448, 3}, {160, 80, 5}};

struct Layouts {
  Tag from, to;
};

Layouts layouts_of(const std::string& direction) {
  if (direction == "to_blocked") return {Tag::nchw, Tag::nChw16c};
  if (direction == "from_blocked") return {Tag::nChw16c, Tag::nchw};
  if (direction == "weights") return {Tag::oihw, Tag::OIhw16i16o};
  return {Tag::OIhw16i16o, Tag::oihw};
}

Axes axes_of_reorder(const Shape& shape, const std::string& direction) {
  const std::int64_t elements = shape.n * shape.c * shape.h * shape.h;
  Axes axes = axes_of({{"elements", elements},
                       {"read_bytes", 4 * elements},
                       {"written_bytes", 4 * elements},
                       {"row", 0},
                       {"n", shape.n},
                       {"c", shape.c},
                       {"h", shape.h}});
  axes["direction"] = direction;
  return axes;
}

class ReorderKernel final : public PreparedKernel {
 public:
  ReorderKernel(const memory::dims& dims, const Layouts& layouts, CacheState state,
                Workspace& workspace)
      : engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        from_(dims, memory::data_type::f32, layouts.from),
        to_(dims, memory::data_type::f32, layouts.to),
        reorder_(dnnl::reorder::primitive_desc(engine_, from_, engine_, to_)),
        sets_(workspace, {from_.get_size()}, {to_.get_size()}, state) {
    for (std::size_t set = 0; set < sets_.count(); ++set) {
      float* source = const_cast<float*>(sets_.input(0, set));  // read only
      pairs_.emplace_back(memory(from_, engine_, source),
                          memory(to_, engine_, sets_.output(0, set)));
    }
  }

  void run() override { execute(pairs_[sets_.next()]); }

  // There and back again gives the same values in the same places.
  void check() override {
    execute(pairs_[0]);
    memory back(from_, engine_);
    dnnl::reorder(pairs_[0].second, back).execute(stream_, pairs_[0].second, back);
    stream_.wait();
    const float* found = static_cast<float*>(back.get_data_handle());
    for (const std::size_t index : spread_indices(from_.get_size() / sizeof(float), 64)) {
      require_close("element " + std::to_string(index), found[index], sets_.input(0, 0)[index], 0,
                    0);
    }
  }

 private:
  void execute(std::pair<memory, memory>& pair) {
    reorder_.execute(stream_, pair.first, pair.second);
    stream_.wait();
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  memory::desc from_, to_;
  dnnl::reorder reorder_;
  OperandSets sets_;
  std::vector<std::pair<memory, memory>> pairs_;
};

// The reorders of one kind of tensor in one direction: each has its own code path and speed.
class Reorder final : public Benchmark {
 public:
  Reorder(std::string name, std::vector<Shape> shapes, std::vector<std::string> directions)
      : name_(std::move(name)), shapes_(std::move(shapes)), directions_(std::move(directions)) {}

  std::vector<Axes> design(DesignSize size) const override {
    std::vector<Axes> out;
    for (std::size_t i = 0; i < shapes_.size(); i += size == DesignSize::kFull ? 1 : 3) {
      for (const std::string& direction : directions_) {
        add_cold(out, axes_of_reorder(shapes_[i], direction));
      }
    }
    return out;
  }

  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace& workspace) const override {
    const auto get = [&](const char* axis) { return integer_axis(axes, axis, name_); };
    return std::make_unique<ReorderKernel>(memory::dims{get("n"), get("c"), get("h"), get("h")},
                                           layouts_of(text_axis(axes, "direction", name_)),
                                           cache_state(axes), workspace);
  }

 private:
  std::string name_;
  std::vector<Shape> shapes_;
  std::vector<std::string> directions_;
};

void add(BenchmarkRegistry& registry, const std::string& name, const std::string& summary,
         std::vector<Shape> shapes, std::vector<std::string> directions) {
  registry.add(name, summary, std::make_unique<Reorder>(name, shapes, directions));
}

}  // namespace

void register_reorder(BenchmarkRegistry& registry) {
  add(registry, "onednn.reorder.to_blocked", "activations from plain to blocked layout",
      kActivations, {"to_blocked"});
  add(registry, "onednn.reorder.from_blocked", "activations from blocked to plain layout",
      kActivations, {"from_blocked"});
  add(registry, "onednn.reorder.weights_to_blocked", "weights from plain to blocked layout",
      kWeights, {"weights"});
  add(registry, "onednn.reorder.weights_from_blocked", "weight gradients back to plain layout",
      kWeights, {"weights_back"});
}

}  // namespace paceline
