#include "simulator/lower/lower.h"

#include "core/error.h"
#include "model/analytic/iteration_time.h"
#include "simulator/engine/engine.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {
namespace {

// Beyond this many tasks an iteration, serial micro-batches are merged call by call: same sums, no
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

// Labels and names that the emitters of both kinds of dispatch share.
class Labels {
 public:
  Labels(const IterationPlan& plan, TaskGraphBuilder& builder) : host_(builder.name("host")) {
    for (const PlannedKernel& planned : plan.kernels) {
      kernels_.push_back(builder.name(planned.kernel.implementation));
    }
  }
  void enter_iteration(int iteration) { iteration_ = static_cast<std::int16_t>(iteration); }
  Label host(const PlannedCall& call) const { return of(call, host_, SpanKind::kHost); }
  Label kernel(const PlannedCall& call) const {
    return of(call, kernels_[call.kernel], span_kind(call.phase));
  }

 private:
  Label of(const PlannedCall& call, NameId name, SpanKind kind) const {
    Label label;
    label.name = name;
    label.rank = 0;
    label.layer = static_cast<std::int32_t>(call.layer);
    label.iteration = iteration_;
    label.kind = kind;
    return label;
  }
  NameId host_;
  std::vector<NameId> kernels_;
  std::int16_t iteration_ = 0;
};

class SerialEmitter {
 public:
  SerialEmitter(const IterationPlan& plan, Platform& platform)
      : plan_(plan), cpu_(platform.add_serial("cpu")), labels_(plan, builder_) {}

  TaskId emit_iteration(int iteration) {
    labels_.enter_iteration(iteration);
    emit(plan_.begin, 1);
    const std::size_t tasks =
        2 * plan_.micro_batch.size() * static_cast<std::size_t>(plan_.micro_batches);
    if (tasks > kMostTasks) {
      emit(plan_.micro_batch, plan_.micro_batches);
    } else {
      for (std::int64_t i = 0; i < plan_.micro_batches; ++i) emit(plan_.micro_batch, 1);
    }
    emit(plan_.update, 1);
    return builder_.add_in_order(fixed_task(SimTime(), cpu_));  // after everything so far
  }
  TaskGraph build() && { return std::move(builder_).build(); }

 private:
  void emit(const std::vector<PlannedCall>& calls, std::int64_t batches) {
    for (const PlannedCall& call : calls) {
      const std::int64_t count = call.repeat * batches;
      if (call.host > Seconds(0)) {
        add(times(SimTime::from(call.host), count), labels_.host(call));
      }
      if (call.kernel == PlannedCall::kNoKernel) continue;
      add(times(SimTime::from(plan_.kernels[call.kernel].cost.time), count), labels_.kernel(call));
    }
  }
  void add(SimTime duration, const Label& label) {
    builder_.add_in_order(fixed_task(duration, cpu_, label));
  }

  const IterationPlan& plan_;
  ResourceId cpu_;
  TaskGraphBuilder builder_;
  Labels labels_;
};

class AsynchronousEmitter {
 public:
  AsynchronousEmitter(const IterationPlan& plan, Platform& platform)
      : plan_(plan),
        host_(platform.add_serial("host")),
        stream_(platform.add_serial("stream")),
        latency_(SimTime::from(plan.launch_latency)),
        labels_(plan, builder_) {
    last_host_ = last_kernel_ = builder_.add(fixed_task(SimTime()));
  }

  TaskId emit_iteration(int iteration) {
    labels_.enter_iteration(iteration);
    for (const PlannedCall& call : plan_.begin) emit(call);
    for (std::int64_t i = 0; i < plan_.micro_batches; ++i) {
      for (const PlannedCall& call : plan_.micro_batch) emit(call);
    }
    for (const PlannedCall& call : plan_.update) emit(call);
    return last_host_ = wait();
  }
  TaskGraph build() && { return std::move(builder_).build(); }

 private:
  void emit(const PlannedCall& call) {
    for (std::int64_t i = 0; i < call.repeat; ++i) {
      if (call.synchronizes) last_host_ = wait();
      if (call.host > Seconds(0)) {
        last_host_ = builder_.add_in_order(
            fixed_task(SimTime::from(call.host), host_, labels_.host(call)), {last_host_});
      }
      if (call.kernel == PlannedCall::kNoKernel) continue;
      const TaskId launched = builder_.add(fixed_task(latency_), {last_host_});
      last_kernel_ =
          builder_.add_in_order(fixed_task(SimTime::from(plan_.kernels[call.kernel].cost.time),
                                           stream_, labels_.kernel(call)),
                                {launched});
    }
  }
  // The host blocked until the device has done all it was given.
  TaskId wait() {
    const TaskId both[] = {last_host_, last_kernel_};
    return builder_.join(both);
  }

  const IterationPlan& plan_;
  ResourceId host_;
  ResourceId stream_;
  SimTime latency_;
  TaskGraphBuilder builder_;
  Labels labels_;
  TaskId last_host_{};
  TaskId last_kernel_{};
};

std::size_t calls_of(const std::vector<PlannedCall>& calls) {
  std::size_t sum = 0;
  for (const PlannedCall& call : calls) sum += static_cast<std::size_t>(call.repeat);
  return sum;
}

// Tasks of an asynchronous iteration: host, latency and kernel of every repetition.
bool is_too_long(const IterationPlan& plan) {
  const std::size_t calls =
      calls_of(plan.begin) + calls_of(plan.update) +
      calls_of(plan.micro_batch) * static_cast<std::size_t>(plan.micro_batches);
  return plan.dispatch == Dispatch::kAsynchronous && 3 * calls > kMostTasks;
}

template <typename Emitter>
LoweredRun emit(const IterationPlan& plan, int iterations) {
  LoweredRun run;
  Emitter emitter(plan, run.platform);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    run.iteration_ends.push_back(emitter.emit_iteration(iteration));
  }
  run.graph = std::move(emitter).build();
  return run;
}

}  // namespace

LoweredRun lower(const IterationPlan& plan, int iterations) {
  PACELINE_ASSERT(iterations > 0, "a run has at least one iteration");
  if (is_too_long(plan)) {
    throw UsageError("an iteration of more than " + std::to_string(kMostTasks / 3) +
                     " calls is too long for a timeline; use fewer micro-batches");
  }
  return plan.dispatch == Dispatch::kSerial ? emit<SerialEmitter>(plan, iterations)
                                            : emit<AsynchronousEmitter>(plan, iterations);
}

SimTime simulate_iteration(const IterationPlan& plan, int iterations) {
  if (is_too_long(plan)) return iteration_time(plan);
  const LoweredRun run = lower(plan, iterations);
  const Schedule result = schedule(run.graph, run.platform);
  const auto end_of = [&](std::size_t iteration) {
    return result.end[static_cast<std::size_t>(run.iteration_ends[iteration])];
  };
  const std::size_t last = run.iteration_ends.size() - 1;
  return last == 0 ? end_of(0) : end_of(last) - end_of(last - 1);
}

}  // namespace paceline
