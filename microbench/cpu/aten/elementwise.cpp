// Elementwise kernels: activations and their gradients, sums and products of tensors, the
// accumulation of gradients and the optimizer's update, fills and copies.
#define AT_PER_OPERATOR_HEADERS
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tanh_backward.h>
#include <ATen/ops/threshold_backward.h>

#include <cmath>

#include "microbench/cpu/aten_support/aten_benchmark.h"
#include "microbench/cpu/check.h"

namespace paceline {
namespace {

using at::Tensor;

// Any multiple of a layer's width would be a shape of some network at some batch: these are
// 64 x a prime, from a small bias to memory.
const std::vector<Dims> kSizes = {{64 * 3},     {64 * 29},    {64 * 97},    {64 * 389},
                                  {64 * 1543},  {64 * 6143},  {64 * 24571}, {64 * 49157},
                                  {64 * 98299}, {64 * 196613}};
// Kernels that take a nanosecond or more per element.
const std::vector<Dims> kSlowSizes(kSizes.begin(), kSizes.begin() + 8);

struct Elementwise {
  std::string name, summary;
  int inputs = 1;
  bool reads_output = false;  // works in place
  std::function<void(Tensor& out, const Tensor& a, const Tensor& b)> call;
  // Of one element; `before` is the value of an in-place output.
  std::function<double(double before, double a, double b)> reference;
  std::vector<Dims> sizes = kSizes;
  bool warm_beyond_cache = false;
};

AtenCall prepare(const Elementwise& kernel, const Dims& dims, OperandSets& sets) {
  if (kernel.reads_output) sets.fill_output(0);
  std::vector<Tensor> out = output_tensors(sets, 0, dims);
  const bool has_a = kernel.inputs > 0, has_b = kernel.inputs > 1;
  const std::vector<Tensor> a = has_a ? input_tensors(sets, 0, dims) : out;
  const std::vector<Tensor> b = has_b ? input_tensors(sets, 1, dims) : out;
  AtenCall call;
  call.run = [=, function = kernel.call](std::size_t set) mutable {
    function(out[set], a[set], b[set]);
  };
  call.check = [=, run = call.run, reference = kernel.reference] {
    const float* found = out[0].data_ptr<float>();
    const auto indices = spread_indices(static_cast<std::size_t>(product(dims)), 64);
    std::vector<double> expected;
    for (const std::size_t i : indices) {
      expected.push_back(reference(found[i], a[0].data_ptr<float>()[i], b[0].data_ptr<float>()[i]));
    }
    run(0);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      require_close("element " + std::to_string(indices[i]), found[indices[i]], expected[i]);
    }
  };
  return call;
}

void add(BenchmarkRegistry& registry, const Elementwise& kernel) {
  AtenOperation operation;
  operation.name = kernel.name;
  operation.summary = kernel.summary;
  operation.axes = {"size"};
  operation.shapes = kernel.sizes;
  if (kernel.warm_beyond_cache) operation.warm_bytes = kBeyondLastLevelCache;
  operation.traffic = [kernel](const Dims& dims) {
    const std::int64_t bytes = 4 * dims[0];
    return Traffic{dims[0], bytes * (kernel.inputs + (kernel.reads_output ? 1 : 0)), bytes, 0};
  };
  operation.operands = [kernel](const Dims& dims) {
    const std::vector<std::int64_t> inputs(static_cast<std::size_t>(kernel.inputs), 4 * dims[0]);
    return OperandBytes{inputs, {4 * dims[0]}};
  };
  operation.prepare = [kernel](const Dims& dims, OperandSets& sets) {
    return prepare(kernel, dims, sets);
  };
  add_aten(registry, std::move(operation));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double normal_pdf(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }

constexpr double kLearningRate = 0.01;

void add_arithmetic(BenchmarkRegistry& registry) {
  add(registry, {"aten.add", "sum of two tensors", 2, false,
                 [](Tensor& y, const Tensor& a, const Tensor& b) { at::add_out(y, a, b); },
                 [](double, double a, double b) { return a + b; }, kSizes, true});
  add(registry, {"aten.add_", "x += s g: gradient accumulation, SGD update", 1, true,
                 [](Tensor& x, const Tensor& g, const Tensor&) { x.add_(g, -kLearningRate); },
                 [](double x, double g, double) { return x - kLearningRate * g; }, kSizes, true});
  add(registry, {"aten.fill", "constant fill", 0, false,
                 [](Tensor& y, const Tensor&, const Tensor&) { y.fill_(0.5); },
                 [](double, double, double) { return 0.5; }});
}

void add_activations(BenchmarkRegistry& registry) {
  add(registry, {"aten.relu_", "ReLU in place", 0, true,
                 [](Tensor& x, const Tensor&, const Tensor&) { x.relu_(); },
                 [](double x, double, double) { return std::max(x, 0.0); }});
  add(registry, {"aten.relu", "ReLU", 1, false,
                 [](Tensor& y, const Tensor& x, const Tensor&) { at::clamp_min_out(y, x, 0); },
                 [](double, double x, double) { return std::max(x, 0.0); }});
  add(registry, {"aten.relu_backward", "gradient of ReLU", 2, false,
                 [](Tensor& dx, const Tensor& dy, const Tensor& y) {
                   at::threshold_backward_out(dx, dy, y, 0);
                 },
                 [](double, double dy, double y) { return y > 0 ? dy : 0.0; }, kSizes, true});
  add(registry, {"aten.sigmoid", "sigmoid", 1, false,
                 [](Tensor& y, const Tensor& x, const Tensor&) { at::sigmoid_out(y, x); },
                 [](double, double x, double) { return sigmoid(x); }});
  add(registry,
      {"aten.sigmoid_backward", "gradient of sigmoid", 2, false,
       [](Tensor& dx, const Tensor& dy, const Tensor& y) { at::sigmoid_backward_out(dx, dy, y); },
       [](double, double dy, double y) { return dy * y * (1 - y); }});
  add(registry, {"aten.tanh", "hyperbolic tangent", 1, false,
                 [](Tensor& y, const Tensor& x, const Tensor&) { at::tanh_out(y, x); },
                 [](double, double x, double) { return std::tanh(x); }, kSlowSizes});
  add(registry,
      {"aten.tanh_backward", "gradient of the hyperbolic tangent", 2, false,
       [](Tensor& dx, const Tensor& dy, const Tensor& y) { at::tanh_backward_out(dx, dy, y); },
       [](double, double dy, double y) { return dy * (1 - y * y); }});
  add(registry, {"aten.gelu", "GELU", 1, false,
                 [](Tensor& y, const Tensor& x, const Tensor&) { at::gelu_out(y, x); },
                 [](double, double x, double) { return x * normal_cdf(x); }, kSlowSizes});
  add(registry,
      {"aten.gelu_backward", "gradient of GELU", 2, false,
       [](Tensor& dx, const Tensor& dy, const Tensor& x) { at::gelu_backward_out(dx, dy, x); },
       [](double, double dy, double x) { return dy * (normal_cdf(x) + x * normal_pdf(x)); },
       kSlowSizes});
}

}  // namespace

void register_elementwise(BenchmarkRegistry& registry) {
  add_arithmetic(registry);
  add_activations(registry);
}

}  // namespace paceline
