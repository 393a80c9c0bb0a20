// Softmax and its logarithm over the last dimension, forward and backward: attention and losses.
#define AT_PER_OPERATOR_HEADERS
#include <ATen/core/Tensor.h>
#include <ATen/ops/_log_softmax.h>
#include <ATen/ops/_log_softmax_backward_data.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>

#include <cmath>

#include "microbench/cpu/aten_support/aten_benchmark.h"
#include "microbench/cpu/check.h"

namespace paceline {
namespace {

using at::Tensor;

const std::vector<Dims> kShapes = {{16, 160},   {96, 96},    {60, 1200},   {1600, 96},  {480, 640},
                                   {160, 5000}, {9600, 160}, {300, 12000}, {1200, 3000}};

struct RowKernel {
  std::string name, summary;
  std::int64_t inputs;
  // `a` is x, or dy; `b` is y for gradients.
  std::function<void(Tensor& out, const Tensor& a, const Tensor& b)> call;
  // Element 0 of a row.
  std::function<double(const Row& a, const Row& b)> reference;
};

double sum_of_exponentials(const Row& x) {
  double out = 0;
  for (std::size_t i = 0; i < x.length; ++i) out += std::exp(x[i]);
  return out;
}

double dot(const Row& a, const Row& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.length; ++i) out += a[i] * b[i];
  return out;
}

AtenCall prepare(const RowKernel& kernel, const Dims& dims, OperandSets& sets) {
  std::vector<Tensor> out = output_tensors(sets, 0, dims);
  const std::vector<Tensor> a = input_tensors(sets, 0, dims);
  const std::vector<Tensor> b = kernel.inputs > 1 ? input_tensors(sets, 1, dims) : a;
  AtenCall call;
  call.run = [=, function = kernel.call](std::size_t set) mutable {
    function(out[set], a[set], b[set]);
  };
  call.check = [=, run = call.run, reference = kernel.reference] {
    run(0);
    const auto columns = static_cast<std::size_t>(dims[1]);
    for (const std::size_t r : spread_indices(static_cast<std::size_t>(dims[0]), 9)) {
      const Row row_a{a[0].data_ptr<float>() + r * columns, columns};
      const Row row_b{b[0].data_ptr<float>() + r * columns, columns};
      require_close("first value of row " + std::to_string(r),
                    out[0].data_ptr<float>()[r * columns], reference(row_a, row_b));
    }
  };
  return call;
}

void add(BenchmarkRegistry& registry, const RowKernel& kernel) {
  AtenOperation operation;
  operation.name = kernel.name;
  operation.summary = kernel.summary;
  operation.axes = {"rows", "columns"};
  operation.shapes = kShapes;
  operation.traffic = [kernel](const Dims& dims) {
    const std::int64_t elements = product(dims);
    return Traffic{elements, 4 * elements * kernel.inputs, 4 * elements, dims[1]};
  };
  operation.operands = [kernel](const Dims& dims) {
    const std::int64_t bytes = 4 * product(dims);
    return OperandBytes{std::vector<std::int64_t>(static_cast<std::size_t>(kernel.inputs), bytes),
                        {bytes}};
  };
  operation.prepare = [kernel](const Dims& dims, OperandSets& sets) {
    return prepare(kernel, dims, sets);
  };
  add_aten(registry, std::move(operation));
}

}  // namespace

void register_softmax(BenchmarkRegistry& registry) {
  add(registry,
      {"aten.softmax", "softmax of rows", 1,
       [](Tensor& y, const Tensor& x, const Tensor&) { at::_softmax_out(y, x, -1, false); },
       [](const Row& x, const Row&) { return std::exp(x[0]) / sum_of_exponentials(x); }});
  add(registry, {"aten.softmax_backward", "its gradient", 2,
                 [](Tensor& dx, const Tensor& dy, const Tensor& y) {
                   at::_softmax_backward_data_out(dx, dy, y, -1, at::kFloat);
                 },
                 [](const Row& dy, const Row& y) { return y[0] * (dy[0] - dot(dy, y)); }});
  add(registry,
      {"aten.log_softmax", "logarithm of the softmax of rows", 1,
       [](Tensor& y, const Tensor& x, const Tensor&) { at::_log_softmax_out(y, x, -1, false); },
       [](const Row& x, const Row&) { return x[0] - std::log(sum_of_exponentials(x)); }});
  add(registry, {"aten.log_softmax_backward", "its gradient", 2,
                 [](Tensor& dx, const Tensor& dy, const Tensor& y) {
                   at::_log_softmax_backward_data_out(dx, dy, y, -1, at::kFloat);
                 },
                 [](const Row& dy, const Row& y) { return dy[0] - std::exp(y[0]) * sum(dy); }});
}

}  // namespace paceline
