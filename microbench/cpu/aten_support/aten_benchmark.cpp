#define AT_PER_OPERATOR_HEADERS
#include "microbench/cpu/aten_support/aten_benchmark.h"

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <random>

#include "microbench/cpu/design.h"

namespace paceline {
namespace {

std::vector<std::size_t> sizes(const std::vector<std::int64_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

class AtenKernel final : public PreparedKernel {
 public:
  AtenKernel(const AtenOperation& operation, const Dims& dims, CacheState state, int threads,
             Workspace& workspace)
      : sets_(workspace, sizes(operation.operands(dims).inputs),
              sizes(operation.operands(dims).outputs), state) {
    at::set_num_threads(threads);
    const at::AutoDispatchBelowADInplaceOrView guard;
    call_ = operation.prepare(dims, sets_);
  }

  // Below autograd: its bookkeeping is host time, which calibration knows separately.
  void run() override {
    const at::AutoDispatchBelowADInplaceOrView guard;
    call_.run(sets_.next());
  }

  void check() override {
    const at::AutoDispatchBelowADInplaceOrView guard;
    call_.check();
  }

 private:
  OperandSets sets_;
  AtenCall call_;
};

class AtenBenchmark final : public Benchmark {
 public:
  explicit AtenBenchmark(AtenOperation operation) : operation_(std::move(operation)) {}

  std::vector<Axes> design(DesignSize size) const override {
    std::vector<Axes> out;
    const bool full = size == DesignSize::kFull;
    // Quick: from the largest down, since those weigh most.
    for (std::size_t i = 0; i < operation_.shapes.size(); ++i) {
      if (!full && (operation_.shapes.size() - 1 - i) % 2 != 0) continue;
      const Axes axes = axes_of_dims(operation_.shapes[i]);
      add_cold(out, axes);
      const Traffic traffic = operation_.traffic(operation_.shapes[i]);
      if (full && traffic.read_bytes + traffic.written_bytes <= operation_.warm_bytes)
        add_warm(out, axes);
    }
    return out;
  }

  bool allocates() const override { return true; }

  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace& workspace) const override {
    Dims dims;
    for (const std::string& name : operation_.axes) {
      dims.push_back(integer_axis(axes, name, operation_.name));
    }
    const int threads = static_cast<int>(integer_axis(axes, "threads", operation_.name));
    return std::make_unique<AtenKernel>(operation_, dims, cache_state(axes), threads, workspace);
  }

 private:
  Axes axes_of_dims(const Dims& dims) const {
    Axes axes;
    for (std::size_t i = 0; i < dims.size(); ++i) axes[operation_.axes.at(i)] = dims[i];
    const Traffic traffic = operation_.traffic(dims);
    axes["elements"] = traffic.elements;
    axes["read_bytes"] = traffic.read_bytes;
    axes["written_bytes"] = traffic.written_bytes;
    axes["row"] = traffic.row;
    return axes;
  }

  AtenOperation operation_;
};

}  // namespace

std::int64_t product(const Dims& dims) {
  std::int64_t out = 1;
  for (const std::int64_t dim : dims) out *= dim;
  return out;
}

double sum(const Row& row) {
  double out = 0;
  for (std::size_t i = 0; i < row.length; ++i) out += row[i];
  return out;
}

void add_aten(BenchmarkRegistry& registry, AtenOperation operation) {
  const std::string name = operation.name, summary = operation.summary;
  registry.add(name, summary, std::make_unique<AtenBenchmark>(std::move(operation)));
}

at::Tensor float_tensor(const float* data, const Dims& dims) {
  return at::from_blob(const_cast<float*>(data), dims, at::kFloat);  // inputs are only read
}

std::vector<at::Tensor> input_tensors(const OperandSets& sets, std::size_t operand,
                                      const Dims& dims) {
  std::vector<at::Tensor> out;
  for (std::size_t set = 0; set < sets.count(); ++set) {
    out.push_back(float_tensor(sets.input(operand, set), dims));
  }
  return out;
}

std::vector<at::Tensor> output_tensors(const OperandSets& sets, std::size_t operand,
                                       const Dims& dims) {
  std::vector<at::Tensor> out;
  for (std::size_t set = 0; set < sets.count(); ++set) {
    out.push_back(at::from_blob(sets.output(operand, set), dims, at::kFloat));
  }
  return out;
}

std::vector<at::Tensor> index_output_tensors(const OperandSets& sets, std::size_t operand,
                                             const Dims& dims) {
  std::vector<at::Tensor> out;
  for (std::size_t set = 0; set < sets.count(); ++set) {
    out.push_back(at::from_blob(sets.output(operand, set), dims, at::kLong));
  }
  return out;
}

at::Tensor random_indices(std::int64_t count, std::int64_t limit) {
  at::Tensor out = at::empty({count}, at::kLong);
  std::mt19937_64 generator(2);  // the values only have to be the same in every run
  std::int64_t* values = out.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    values[i] = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(limit));
  }
  return out;
}

}  // namespace paceline
