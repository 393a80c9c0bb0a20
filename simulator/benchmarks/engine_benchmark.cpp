// Cost of the engine against the size of the graph. Each benchmark checks what it simulated.
//
//   paceline_simulator_benchmark --benchmark_filter='BareHeap|Layered'
#include <benchmark/benchmark.h>

#include <functional>
#include <queue>
#include <random>

#include "simulator/benchmarks/allocation_counter.h"
#include "simulator/benchmarks/training_trace.h"
#include "simulator/engine/engine.h"
#include "simulator/engine/longest_path.h"

namespace paceline {
namespace {

constexpr std::size_t kPending = 1024;

// The least an event loop can do: take the earliest of 1024 pending events and put one back.
void BareHeap(benchmark::State& state) {
  using Event = std::pair<std::int64_t, std::uint32_t>;
  const auto events = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 random(1);
  for (auto _ : state) {
    std::priority_queue<Event, std::vector<Event>, std::greater<>> heap;
    for (std::uint32_t i = 0; i < kPending; ++i) heap.push({1'000'000, i});
    std::int64_t last = 0;
    for (std::size_t i = 0; i < events; ++i) {
      const Event event = heap.top();
      heap.pop();
      last = event.first;
      const auto jitter = static_cast<std::int64_t>(random() & 0xfffff);
      heap.push({event.first + 1'000'000 + jitter, event.second});
    }
    benchmark::DoNotOptimize(last);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// Rows of 1024 tasks of random duration; each follows two tasks of the row before.
TaskGraph layered_graph(std::size_t tasks) {
  std::mt19937_64 random(1);
  TaskGraphBuilder builder;
  builder.reserve(tasks, 2 * tasks);
  for (std::size_t i = 0; i < tasks; ++i) {
    const auto jitter = static_cast<std::int64_t>(random() & 0xfffff);
    const Task task = fixed_task(SimTime::from_picoseconds(1'000'000 + jitter));
    if (i < kPending) {
      builder.add(task);
      continue;
    }
    const std::size_t row = (i / kPending - 1) * kPending;
    builder.add(task, {TaskId(row + i % kPending), TaskId(row + (i + 1) % kPending)});
  }
  return std::move(builder).build();
}

void LayeredGraph(benchmark::State& state) {
  const auto tasks = static_cast<std::size_t>(state.range(0));
  const std::size_t held_before = held_bytes();
  const TaskGraph graph = layered_graph(tasks);
  const Platform platform;
  const SimTime expected = longest_path(graph, platform);
  reset_peak_bytes();
  for (auto _ : state) {
    if (schedule(graph, platform).makespan != expected) {
      state.SkipWithError("the makespan is not the longest path");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
  state.counters["bytes_per_task"] =
      static_cast<double>(peak_bytes() - held_before) / static_cast<double>(tasks);
}

void LayeredGraphToTimeline(benchmark::State& state) {
  const auto tasks = static_cast<std::size_t>(state.range(0));
  const std::size_t held_before = held_bytes();
  const TaskGraph graph = layered_graph(tasks);
  const Platform platform;
  reset_peak_bytes();
  for (auto _ : state) benchmark::DoNotOptimize(simulate(graph, platform).size());
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_per_task"] =
      static_cast<double>(peak_bytes() - held_before) / static_cast<double>(tasks);
}

TrainingTrace torus(std::int32_t a, std::int32_t b, std::int32_t c) {
  TrainingTrace trace;
  trace.dimensions = {
      {a, BytesPerSecond(400e9)}, {b, BytesPerSecond(50e9)}, {c, BytesPerSecond(25e9)}};
  return trace;
}

// Builds and runs the whole trace; the time includes both.
void run_trace(benchmark::State& state, const TrainingTrace& trace, bool symmetric) {
  std::size_t tasks = 0;
  for (auto _ : state) {
    const RankClasses classes = symmetric ? trace.symmetric() : RankClasses::each(trace.ranks());
    const TrainingGraph built = build(trace, classes);
    tasks = built.graph.size();
    if (schedule(built.graph, built.platform).makespan != trace.closed_form()) {
      state.SkipWithError("the makespan is not the closed form");
    }
  }
  state.counters["tasks"] = static_cast<double>(tasks);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tasks));
}

void TrainingTraceOf512(benchmark::State& state) { run_trace(state, torus(8, 8, 8), false); }
void TrainingTraceOf512OverSharedLinks(benchmark::State& state) {
  TrainingTrace trace = torus(8, 8, 8);
  trace.over_shared_links = true;
  run_trace(state, trace, false);
}
void SymmetricTraceOf512(benchmark::State& state) { run_trace(state, torus(8, 8, 8), true); }
void SymmetricTraceOf16384(benchmark::State& state) { run_trace(state, torus(32, 32, 16), true); }

// Senders of a node with one shared uplink, all messages of different size: every start and end
// changes the rates of the node's flows, and only of those.
void SharedUplinks(benchmark::State& state) {
  constexpr std::size_t kPerNode = 8;
  constexpr std::size_t kMessages = 20;
  const auto nodes = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 random(1);
  Platform platform;
  TaskGraphBuilder builder;
  for (std::size_t n = 0; n < nodes; ++n) {
    const ResourceId uplink = platform.add_link("uplink", BytesPerSecond(25e9));
    const RouteId route = platform.add_route({"out", {{uplink}}, Seconds(1e-6)});
    for (std::size_t sender = 0; sender < kPerNode; ++sender) {
      TaskId last{};
      for (std::size_t m = 0; m < kMessages; ++m) {
        const Task message = transfer_task(Bytes(1e5 + double(random() & 0xffff)), route);
        last = m == 0 ? builder.add(message) : builder.add(message, {last});
      }
    }
  }
  const auto tasks = static_cast<std::int64_t>(builder.size());
  const TaskGraph graph = std::move(builder).build();
  for (auto _ : state) benchmark::DoNotOptimize(schedule(graph, platform).makespan);
  state.SetItemsProcessed(state.iterations() * tasks);
  state.SetComplexityN(tasks);
}

// 64 workers push tensors of different size to one server, all at once: one component of 64 routes,
// however many tensors.
void PushesToOneServer(benchmark::State& state) {
  constexpr std::size_t kWorkers = 64;
  const auto tensors = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 random(1);
  Platform platform;
  const ResourceId server = platform.add_link("server in", BytesPerSecond(12.5e9));
  std::vector<RouteId> routes;
  for (std::size_t worker = 0; worker < kWorkers; ++worker) {
    const ResourceId out = platform.add_link("worker out", BytesPerSecond(12.5e9));
    routes.push_back(platform.add_route({"push", {{out}, {server}}, Seconds(1e-6)}));
  }
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tensors; ++i) {
    builder.add(transfer_task(Bytes(1e4 + double(random() & 0xfffff)), routes[i % kWorkers]));
  }
  const TaskGraph graph = std::move(builder).build();
  for (auto _ : state) benchmark::DoNotOptimize(schedule(graph, platform).makespan);
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}

// The worst case: every rank sends to every other, no two messages of one size, all in one
// component of as many routes as messages.
void UnevenExchange(benchmark::State& state) {
  const auto ranks = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 random(1);
  Platform platform;
  std::vector<ResourceId> in;
  std::vector<ResourceId> out;
  for (std::size_t r = 0; r < ranks; ++r) {
    in.push_back(platform.add_link("in", BytesPerSecond(25e9)));
    out.push_back(platform.add_link("out", BytesPerSecond(25e9)));
  }
  TaskGraphBuilder builder;
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      if (from == to) continue;
      const RouteId route = platform.add_route({"pair", {{out[from]}, {in[to]}}, Seconds(1e-6)});
      builder.add(transfer_task(Bytes(1e6 + double(random() & 0xfffff)), route));
    }
  }
  const auto messages = static_cast<std::int64_t>(builder.size());
  const TaskGraph graph = std::move(builder).build();
  for (auto _ : state) benchmark::DoNotOptimize(schedule(graph, platform).makespan);
  state.SetItemsProcessed(state.iterations() * messages);
  state.SetComplexityN(messages);
}

BENCHMARK(BareHeap)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(LayeredGraph)
    ->RangeMultiplier(10)
    ->Range(10'000, 10'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oNLogN);
BENCHMARK(LayeredGraphToTimeline)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(TrainingTraceOf512)->Unit(benchmark::kMillisecond);
BENCHMARK(TrainingTraceOf512OverSharedLinks)->Unit(benchmark::kMillisecond);
BENCHMARK(SymmetricTraceOf512)->Unit(benchmark::kMillisecond);
BENCHMARK(SymmetricTraceOf16384)->Unit(benchmark::kMillisecond);
BENCHMARK(SharedUplinks)
    ->RangeMultiplier(8)
    ->Range(8, 4096)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oNLogN);
BENCHMARK(PushesToOneServer)
    ->RangeMultiplier(8)
    ->Range(64, 262'144)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oNLogN);
BENCHMARK(UnevenExchange)
    ->RangeMultiplier(2)
    ->Range(8, 64)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oNSquared);

}  // namespace
}  // namespace paceline

BENCHMARK_MAIN();
