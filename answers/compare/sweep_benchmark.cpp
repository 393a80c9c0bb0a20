// Cost of a sweep against its number of points: clusters of one kind of machine, in closed form
// or all simulated; of a single question from names to the answer, which `paceline predict` adds
// its start to (bar: 50 ms with it); and of the comparison that has a bar of 2 s. Each run checks
// that every point is predicted, and how.
//
//   build/release/answers/paceline_sweep_benchmark
#include <benchmark/benchmark.h>

#include "answers/compare/sweep.h"

namespace paceline {
namespace {

Experiment resnet50(std::int64_t devices) {
  Experiment e;
  e.model = "resnet50";
  e.batch = 64;
  e.threads = 0;
  e.device = "v100-sxm2-16g";
  e.devices = devices;
  if (devices > 1) e.intra = "nvlink2-cube-mesh";
  return e;
}

std::vector<Experiment> clusters(const std::string& strategy, std::int64_t points) {
  std::vector<Experiment> out;
  for (std::int64_t i = 0; i < points; ++i) {
    Experiment e = resnet50(8 * (2 + i % 4096));
    e.devices_per_machine = 8;
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

// As the program asks: devices are read, the largest batch is searched.
void Question(benchmark::State& state) {
  const Experiment e = resnet50(state.range(0));
  SweepOptions options;
  options.largest_batch = true;
  for (auto _ : state) {
    SweepDevices devices;
    const Sweep result = predict_sweep({e}, options, devices);
    if (!result.single || !result.single->report.largest_batch) state.SkipWithError("no answer");
  }
}

// Seven strategies on eight sizes over three networks; one of them refuses several machines.
void Comparison(benchmark::State& state) {
  std::vector<Experiment> points;
  for (const char* strategy :
       {"ddp", "horovod", "bsp", "wfbp", "parameter-server", "replicated", "bytescheduler"}) {
    for (const char* net : {"10gbe", "25gbe", "100gbe"}) {
      for (std::int64_t devices = 2; devices <= 256; devices *= 2) {
        Experiment e = resnet50(devices);
        e.devices_per_machine = 8;
        e.net = net;
        e.strategy = strategy;
        points.push_back(std::move(e));
      }
    }
  }
  SweepOptions options;
  options.largest_batch = true;
  for (auto _ : state) {
    SweepDevices devices;
    const Sweep result = predict_sweep(points, options, devices);
    constexpr std::size_t kRefused = 15;
    if (result.reports.size() + kRefused != points.size()) {
      state.SkipWithError("a point has no prediction");
    }
  }
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

// By the number of devices; several by ddp, which is PyTorch's own.
BENCHMARK(Question)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Comparison)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace paceline

BENCHMARK_MAIN();
