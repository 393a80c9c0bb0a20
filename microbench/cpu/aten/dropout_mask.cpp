// The random mask of dropout: serial in ATen, and far slower than the product that uses it.
#define AT_PER_OPERATOR_HEADERS
#include <ATen/core/Tensor.h>

#include <cmath>

#include "microbench/cpu/aten_support/aten_benchmark.h"
#include "microbench/cpu/check.h"

namespace paceline {
namespace {

using at::Tensor;

constexpr double kProbability = 0.5;

AtenCall prepare(const Dims& dims, OperandSets& sets) {
  std::vector<Tensor> out = output_tensors(sets, 0, dims);
  AtenCall call;
  call.run = [=](std::size_t set) mutable { out[set].bernoulli_(kProbability); };
  call.check = [=, run = call.run] {
    run(0);
    const float* values = out[0].data_ptr<float>();
    double ones = 0;
    for (std::int64_t i = 0; i < dims[0]; ++i) {
      require_close("a mask's value", values[i], values[i] > 0.5F ? 1 : 0, 0, 0);
      ones += double{values[i]};
    }
    // Five standard deviations of a fair coin's mean.
    const double size = static_cast<double>(dims[0]);
    require_close("share of ones", ones / size, kProbability, 1, 2.5 / std::sqrt(size));
  };
  return call;
}

}  // namespace

void register_dropout_mask(BenchmarkRegistry& registry) {
  AtenOperation operation;
  operation.name = "aten.bernoulli";
  operation.summary = "random mask of dropout";
  operation.axes = {"size"};
  operation.shapes = {{64 * 29}, {64 * 97}, {64 * 389}, {64 * 1543}, {64 * 6143}, {64 * 12289}};
  operation.traffic = [](const Dims& dims) { return Traffic{dims[0], 0, 4 * dims[0], 0}; };
  operation.operands = [](const Dims& dims) { return OperandBytes{{}, {4 * dims[0]}}; };
  operation.prepare = prepare;
  add_aten(registry, std::move(operation));
}

}  // namespace paceline
