// Cost of a sweep against its number of points: clusters of one kind of machine, in closed form
// or all simulated. Each run checks that every point is predicted, and how.
//
//   build/release/answers/paceline_sweep_benchmark
#include <benchmark/benchmark.h>

#include "answers/compare/sweep.h"

namespace paceline {
namespace {

std::vector<Experiment> clusters(const std::string& strategy, std::int64_t points) {
  std::vector<Experiment> out;
  for (std::int64_t i = 0; i < points; ++i) {
    Experiment e;
    e.model = "resnet50";
    e.batch = 64;
    e.threads = 0;
    e.device = "v100-sxm2-16g";
    e.devices = 8 * (2 + i % 4096);
    e.devices_per_machine = 8;
    e.intra = "nvlink2-cube-mesh";
    e.net = std::to_string(10 + i / 4096) + " Gb/s@5us";
    e.strategy = strategy;
    out.push_back(std::move(e));
  }
  return out;
}

void sweep(benchmark::State& state, const std::string& strategy, std::size_t most_simulated) {
  const std::vector<Experiment> points = clusters(strategy, state.range(0));
  SweepOptions options;
  options.most_simulated = most_simulated;
  for (auto _ : state) {
    SweepDevices devices;
    const Sweep result = predict_sweep(points, options, devices);
    if (result.reports.size() != points.size()) state.SkipWithError("a point has no prediction");
    if (result.in_closed_form != (most_simulated == 0 ? points.size() : 0)) {
      state.SkipWithError("points were not predicted as asked");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}

void InClosedForm(benchmark::State& state, const std::string& strategy) {
  sweep(state, strategy, 0);
}
void Simulated(benchmark::State& state, const std::string& strategy) {
  sweep(state, strategy, SIZE_MAX);
}

void against_points(benchmark::internal::Benchmark* family,
                    std::initializer_list<std::int64_t> points) {
  for (const std::int64_t count : points) family->Arg(count);
  family->Complexity(benchmark::oN)->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(InClosedForm, Bsp, std::string("bsp"))
    ->Apply([](benchmark::internal::Benchmark* family) {
      against_points(family, {100, 1000, 10'000, 50'000});
    });
BENCHMARK_CAPTURE(InClosedForm, Ddp, std::string("ddp"))
    ->Apply([](benchmark::internal::Benchmark* family) {
      against_points(family, {100, 1000, 10'000, 50'000});
    });
BENCHMARK_CAPTURE(Simulated, Ddp, std::string("ddp"))
    ->Apply([](benchmark::internal::Benchmark* family) {
      against_points(family, {10, 100, 1000});
    });

}  // namespace
}  // namespace paceline

BENCHMARK_MAIN();
