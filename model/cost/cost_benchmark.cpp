// How long one evaluation of a GPU's kernel takes, with its choice of tile and algorithm, and one
// with its uncertainty: build/release/model/paceline_cost_benchmark
#include <benchmark/benchmark.h>

#include "model/cost/formulas.h"
#include "model/cost/gpu.h"
#include "model/cost/gpu_family.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

const GpuCostModel& model() {
  static const GpuCostModel shared = GpuCostModel::for_device(DeviceCatalog::shipped().at("t4"));
  return shared;
}

Kernel gemm() {
  return {"gemm", GemmShape{.m = 4096, .n = 5120, .k = 1024, .trans_a = true}, Precision::kFp16};
}
Kernel convolution() {
  return {
      "conv",
      ConvShape{
          .n = 64, .c = 128, .h = 28, .w = 28, .k = 128, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
      Precision::kFp32};
}
Kernel elementwise() {
  return {"relu", StreamShape{.elements = 1 << 24, .read = Bytes(64e6), .written = Bytes(64e6)}};
}

// The formula alone.
void KernelTime(benchmark::State& state, const Kernel& kernel) {
  const Fit& fit = model().own_parameters().at(gpu_family(kernel, model().device()));
  const FormulaEntry& entry = kernel_formula(fit.formula);
  std::vector<double> values;
  for (const formula::Declaration& declared : entry.parameters) {
    values.push_back(fit.value(std::string(declared.name)));
  }
  ExecutionContext context;
  context.device = &model().device();
  for (auto _ : state) {
    benchmark::DoNotOptimize(entry.evaluate(kernel, context, values.data()).total);
  }
}
BENCHMARK_CAPTURE(KernelTime, Gemm, gemm());
BENCHMARK_CAPTURE(KernelTime, Convolution, convolution());
BENCHMARK_CAPTURE(KernelTime, Elementwise, elementwise());

// With standard deviation and origin.
void KernelCost(benchmark::State& state, const Kernel& kernel) {
  for (auto _ : state) benchmark::DoNotOptimize(model().cost(kernel, {}).time);
}
BENCHMARK_CAPTURE(KernelCost, Gemm, gemm());
BENCHMARK_CAPTURE(KernelCost, Convolution, convolution());
BENCHMARK_CAPTURE(KernelCost, Elementwise, elementwise());

}  // namespace
}  // namespace paceline

BENCHMARK_MAIN();
