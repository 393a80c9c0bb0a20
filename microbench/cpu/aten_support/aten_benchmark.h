// Benchmarks of ATen, the library of PyTorch's own CPU kernels. A benchmark is described by data
// and three functions; the headers of PyTorch stay in the sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "microbench/benchmark.h"
#include "microbench/harness/operand_sets.h"

namespace at {
class Tensor;
}

namespace paceline {

using Dims = std::vector<std::int64_t>;
std::int64_t product(const Dims& dims);

// The compulsory traffic of one call, as the cost models count it (model/kernel/kernel.h).
struct Traffic {
  std::int64_t elements = 0;  // of the largest tensor
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t row = 0;  // length of a reduced or normalised row, 0 if there is none
};

// Sizes of the operands in the workspace.
struct OperandBytes {
  std::vector<std::int64_t> inputs;
  std::vector<std::int64_t> outputs;
};

struct AtenCall {
  std::function<void(std::size_t set)> run;
  std::function<void()> check;  // throws MeasurementError
};

struct AtenOperation {
  std::string name;  // "aten.add"
  std::string summary;
  std::vector<std::string> axes;  // names of the dimensions
  std::vector<Dims> shapes;  // full design, small to large; every second one is the quick design
  // Shapes with at most this much traffic are measured warm too: what a core's caches hold. A few
  // kernels go on to where the last-level cache ends.
  std::int64_t warm_bytes = 6 << 20;
  std::function<Traffic(const Dims&)> traffic;
  std::function<OperandBytes(const Dims&)> operands;
  std::function<AtenCall(const Dims&, OperandSets&)> prepare;
};

inline constexpr std::int64_t kBeyondLastLevelCache = 64 << 20;

// Measures every shape with cold operands, and the smaller ones warm too.
void add_aten(BenchmarkRegistry& registry, AtenOperation operation);

// Tensors over the memory of one operand of every set.
std::vector<at::Tensor> input_tensors(const OperandSets& sets, std::size_t operand,
                                      const Dims& dims);
std::vector<at::Tensor> output_tensors(const OperandSets& sets, std::size_t operand,
                                       const Dims& dims);
std::vector<at::Tensor> index_output_tensors(const OperandSets& sets, std::size_t operand,
                                             const Dims& dims);
// The index of each element of `row` in a tensor is fixed by three numbers: where it starts, its
// length and the distance between its elements. The reference of anything that works on rows.
struct Row {
  const float* data = nullptr;
  std::size_t length = 0;
  std::size_t stride = 1;
  double operator[](std::size_t i) const { return double{data[i * stride]}; }
};
double sum(const Row& row);

// `count` values of 0 .. limit-1 in an order without pattern, for labels and token ids.
at::Tensor random_indices(std::int64_t count, std::int64_t limit);
at::Tensor float_tensor(const float* data, const Dims& dims);

}  // namespace paceline
