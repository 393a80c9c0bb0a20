#include "core/error.h"
#include "simulator/engine/engine.h"
#include "simulator/lower/lower.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {
namespace {

// Beyond this many tasks an iteration, micro-batches are merged call by call: same sums, no
// timeline that anyone could look at.
constexpr std::size_t kMostTasks = 1'000'000;

SpanKind span_kind(Phase phase) {
  switch (phase) {
    case Phase::kForward:
      return SpanKind::kForward;
    case Phase::kBackward:
      return SpanKind::kBackward;
    case Phase::kOptimizer:
      return SpanKind::kUpdate;
  }
  PACELINE_ASSERT(false, "every phase has a kind of span");
  return SpanKind::kOther;
}

SimTime times(SimTime time, std::int64_t count) {
  return SimTime::from_picoseconds(time.picoseconds() * count);
}

class Emitter {
 public:
  Emitter(const IterationPlan& plan, ResourceId cpu) : plan_(plan), cpu_(cpu) {
    host_ = builder_.name("host");
    for (const PlannedKernel& planned : plan.kernels) {
      kernels_.push_back(builder_.name(planned.kernel.implementation));
    }
  }

  void emit_iteration(int iteration) {
    iteration_ = static_cast<std::int16_t>(iteration);
    emit(plan_.begin, 1);
    const std::size_t tasks =
        2 * plan_.micro_batch.size() * static_cast<std::size_t>(plan_.micro_batches);
    if (tasks > kMostTasks) {
      emit(plan_.micro_batch, plan_.micro_batches);
    } else {
      for (std::int64_t i = 0; i < plan_.micro_batches; ++i) emit(plan_.micro_batch, 1);
    }
    emit(plan_.update, 1);
  }

  // A task of no duration after everything so far.
  TaskId mark() { return builder_.add_in_order(fixed_task(SimTime(), cpu_)); }
  TaskGraph build() && { return std::move(builder_).build(); }

 private:
  void emit(const std::vector<PlannedCall>& calls, std::int64_t batches) {
    for (const PlannedCall& call : calls) {
      Label label;
      label.rank = 0;
      label.layer = static_cast<std::int32_t>(call.layer);
      label.iteration = iteration_;
      const std::int64_t count = call.repeat * batches;
      if (call.host > Seconds(0)) {
        label.name = host_;
        label.kind = SpanKind::kHost;
        add(times(SimTime::from(call.host), count), label);
      }
      if (call.kernel == PlannedCall::kNoKernel) continue;
      label.name = kernels_[call.kernel];
      label.kind = span_kind(call.phase);
      add(times(SimTime::from(plan_.kernels[call.kernel].cost.time), count), label);
    }
  }
  void add(SimTime duration, const Label& label) {
    builder_.add_in_order(fixed_task(duration, cpu_, label));
  }

  const IterationPlan& plan_;
  ResourceId cpu_;
  TaskGraphBuilder builder_;
  NameId host_{};
  std::vector<NameId> kernels_;
  std::int16_t iteration_ = 0;
};

}  // namespace

LoweredRun lower_cpu(const IterationPlan& plan, int iterations) {
  PACELINE_ASSERT(iterations > 0, "a run has at least one iteration");
  LoweredRun run;
  Emitter emitter(plan, run.platform.add_serial("cpu"));
  for (int iteration = 0; iteration < iterations; ++iteration) {
    emitter.emit_iteration(iteration);
    run.iteration_ends.push_back(emitter.mark());
  }
  run.graph = std::move(emitter).build();
  return run;
}

SimTime simulate_cpu_iteration(const IterationPlan& plan, int iterations) {
  const LoweredRun run = lower_cpu(plan, iterations);
  const Schedule result = schedule(run.graph, run.platform);
  const auto end_of = [&](std::size_t iteration) {
    return result.end[static_cast<std::size_t>(run.iteration_ends[iteration])];
  };
  const std::size_t last = run.iteration_ends.size() - 1;
  return last == 0 ? end_of(0) : end_of(last) - end_of(last - 1);
}

}  // namespace paceline
