// Products: of two tensors, and of one tensor with a constant (scaling of attention scores and of
// dropout masks).
#define AT_PER_OPERATOR_HEADERS
#include <ATen/core/Tensor.h>
#include <ATen/ops/mul.h>

#include "microbench/cpu/aten_support/aten_benchmark.h"
#include "microbench/cpu/check.h"

namespace paceline {
namespace {

using at::Tensor;

constexpr double kFactor = 0.25;

// Sizes as in elementwise.cpp; the second entry is the number of tensors read. A constant becomes a
// tensor of its own in every call, which small products feel: hence two benchmarks.
const std::vector<Dims> kTwoTensors = {
    {64 * 3, 2},    {64 * 29, 2},    {64 * 97, 2},    {64 * 389, 2},   {64 * 1543, 2},
    {64 * 6143, 2}, {64 * 24571, 2}, {64 * 49157, 2}, {64 * 98299, 2}, {64 * 196613, 2}};
const std::vector<Dims> kTensorAndConstant = {
    {64 * 5, 1},    {64 * 31, 1},    {64 * 101, 1},   {64 * 397, 1},   {64 * 1549, 1},
    {64 * 6151, 1}, {64 * 24593, 1}, {64 * 49169, 1}, {64 * 98317, 1}, {64 * 196617, 1}};

AtenCall prepare(const Dims& dims, OperandSets& sets) {
  const bool two = dims[1] == 2;
  std::vector<Tensor> out = output_tensors(sets, 0, {dims[0]});
  const std::vector<Tensor> a = input_tensors(sets, 0, {dims[0]});
  const std::vector<Tensor> b = two ? input_tensors(sets, 1, {dims[0]}) : a;
  AtenCall call;
  call.run = [=](std::size_t set) mutable {
    if (two) {
      at::mul_out(out[set], a[set], b[set]);
    } else {
      at::mul_outf(a[set], kFactor, out[set]);
    }
  };
  call.check = [=, run = call.run] {
    run(0);
    for (const std::size_t i : spread_indices(static_cast<std::size_t>(dims[0]), 64)) {
      const double factor = two ? double{b[0].data_ptr<float>()[i]} : kFactor;
      require_close("element " + std::to_string(i), out[0].data_ptr<float>()[i],
                    double{a[0].data_ptr<float>()[i]} * factor);
    }
  };
  return call;
}

void add(BenchmarkRegistry& registry, std::string name, std::string summary,
         const std::vector<Dims>& shapes) {
  AtenOperation operation;
  operation.name = std::move(name);
  operation.summary = std::move(summary);
  operation.axes = {"size", "operands"};
  operation.shapes = shapes;
  operation.traffic = [](const Dims& dims) {
    return Traffic{dims[0], 4 * dims[0] * dims[1], 4 * dims[0], 0};
  };
  operation.operands = [](const Dims& dims) {
    return OperandBytes{std::vector<std::int64_t>(static_cast<std::size_t>(dims[1]), 4 * dims[0]),
                        {4 * dims[0]}};
  };
  operation.prepare = prepare;
  add_aten(registry, std::move(operation));
}

}  // namespace

void register_multiply(BenchmarkRegistry& registry) {
  add(registry, "aten.mul", "product of two tensors", kTwoTensors);
  add(registry, "aten.mul_scalar", "product of a tensor with a constant", kTensorAndConstant);
}

}  // namespace paceline
