// How long building a workload's graph takes. Run paceline_workload_benchmark (docs/workloads.md);
// the aim is under 1 ms for ResNet-152 and for a GPT of 96 layers.
#include <benchmark/benchmark.h>

#include "model/graph/workload.h"

namespace paceline {
namespace {

void build(benchmark::State& state, const char* name) {
  const WorkloadRegistry registry = workload_registry();
  for (auto _ : state) {
    benchmark::DoNotOptimize(build_workload(registry, name, {.batch = 8}));
  }
}

void count_flops(benchmark::State& state, const char* name) {
  const WorkloadGraph graph = build_workload(workload_registry(), name, {.batch = 8});
  for (auto _ : state) benchmark::DoNotOptimize(graph.training_flops());
}

BENCHMARK_CAPTURE(build, resnet152, "resnet152")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(build, gpt3_96_layers, "gpt3-175b")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(build, seq2seq_unrolled, "seq2seq-nmt")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(count_flops, gpt3_96_layers, "gpt3-175b")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace paceline

BENCHMARK_MAIN();
