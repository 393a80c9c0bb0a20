#include "simulator/job/simulate_job.h"

#include <algorithm>
#include <cmath>

#include "simulator/engine/engine.h"
#include "simulator/job/read_job.h"
#include "simulator/strategies/strategy.h"

namespace paceline {
namespace {

constexpr int kFewestIterations = 4;
constexpr int kMostIterations = 64;
constexpr double kSteady = 1e-6;  // relative change of an iteration's time
constexpr std::size_t kMostSegments = 4'000'000;

// Replaces a strategy's mechanism by the measured time of one synchronization.
class TimedSynchronization : public Aggregation {
 public:
  // `each`: the share of it that each synchronizing micro-batch pays.
  TimedSynchronization(JobBuilder& job, Seconds time, double each)
      : job_(job), time_(time), each_(each) {}
  void end_backward() override { pay(each_); }
  void update() override {
    if (each_ < 1) pay(1 - each_);
  }

 private:
  void pay(double share) {
    const TaskId after[] = {job_.latest(0)};
    const Bytes bytes = share * job_.spec().profile.gradient_bytes();
    const TaskId done = job_.timed_message(0, job_.spec().conditions.communication * share * time_,
                                           bytes, bytes, after, "communication");
    job_.block(0, done);
  }

  JobBuilder& job_;
  Seconds time_;
  double each_;
};

// Tasks of a number of iterations and where each of them ends.
struct Emitted {
  explicit Emitted(const JobSpec& job, Communicator& communicator, int ranks)
      : builder(job, communicator, ranks) {}
  JobBuilder builder;
  std::vector<TaskId> backward_ends;  // of rank 0
};

void emit_micro_batch(JobBuilder& job, Aggregation& aggregation, std::int64_t micro_batch,
                      bool synchronizes) {
  const ComputeProfile& profile = job.spec().profile;
  for (std::size_t i = 0; i < profile.forward.size(); ++i) {
    aggregation.before_forward(i, micro_batch);
    for (int rank = 0; rank < job.ranks(); ++rank) {
      job.segment(rank, Phase::kForward, profile.forward[i], micro_batch == 0, false);
    }
  }
  for (std::size_t i = 0; i < profile.backward.size(); ++i) {
    aggregation.before_backward(i, micro_batch);
    for (int rank = 0; rank < job.ranks(); ++rank) {
      job.segment(rank, Phase::kBackward, profile.backward[i], false, synchronizes);
    }
    if (!synchronizes) continue;
    for (const std::uint32_t gradient : profile.backward[i].gradients) {
      aggregation.gradient_ready(gradient);
    }
  }
  if (synchronizes) aggregation.end_backward();
}

// What comes before the first micro-batch on each device; a process that feeds several devices
// copies the batches of all of them first.
Seconds beginning(const JobSpec& job, const Strategy& strategy) {
  const double others = strategy.one_process_feeds_all() ? job.group.per_machine - 1 : 0;
  return job.profile.begin + others * job.profile.feed;
}

void emit(Emitted& out, Aggregation& aggregation, Seconds begin, bool every, int iterations) {
  JobBuilder& job = out.builder;
  const ComputeProfile& profile = job.spec().profile;
  const std::int64_t batches = profile.micro_batches;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    job.begin_iteration(iteration);
    aggregation.begin_iteration();
    for (int rank = 0; rank < job.ranks() && begin > Seconds(0); ++rank) {
      job.fixed_compute(rank, SpanKind::kUpdate, begin);
    }
    for (std::int64_t micro_batch = 0; micro_batch < batches; ++micro_batch) {
      emit_micro_batch(job, aggregation, micro_batch, every || micro_batch + 1 == batches);
    }
    out.backward_ends.push_back(job.latest(0));
    aggregation.update();
  }
}

Emitted emit_job(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                 Communicator& communicator, int iterations) {
  const bool timed = options.has("sync_time") && options.was_set("sync_time");
  Emitted out(job, communicator, timed ? 1 : strategy.simulated_ranks(job, options));
  const std::unique_ptr<Aggregation> aggregation =
      timed ? std::make_unique<TimedSynchronization>(out.builder, options.seconds("sync_time"),
                                                     strategy.share_of_each_micro_batch())
            : strategy.start(out.builder, options);
  const bool every = options.has("sync") && options.is("sync", "every");
  emit(out, *aggregation, beginning(job, strategy), every, iterations);
  return out;
}

bool steady(const Schedule& schedule, const std::vector<TaskId>& ends, int cycle) {
  const auto length = static_cast<std::size_t>(cycle);
  const auto period = [&](std::size_t i) {
    return (schedule.end[static_cast<std::size_t>(ends[i])] -
            schedule.end[static_cast<std::size_t>(ends[i - length])])
        .seconds();
  };
  const std::size_t last = ends.size() - 2;
  return std::abs(period(last) / period(last - length) - 1) < kSteady;
}

void check_size(const JobSpec& job) {
  const std::size_t segments = job.profile.forward.size() + job.profile.backward.size();
  if (segments * static_cast<std::size_t>(job.profile.micro_batches) < kMostSegments) return;
  throw UsageError("--grad-accum " + std::to_string(job.profile.micro_batches) +
                   " makes more than " + std::to_string(kMostSegments) +
                   " tasks of an iteration; use fewer micro-batches");
}

// Simulates more and more iterations until the last of them are alike, and reads those.
template <typename Read>
auto until_steady(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                  Communicator& communicator, std::span<Observer* const> observers, Read read) {
  check_size(job);
  strategy.check(job, options);
  const int cycle = strategy.cycle(job, options);
  const int fewest = cycle == 1 ? kFewestIterations : 3 * cycle;
  for (int iterations = fewest;; iterations *= 2) {
    Emitted out = emit_job(job, strategy, options, communicator, iterations);
    const TaskGraph graph = out.builder.take_graph();
    const Schedule schedule = paceline::schedule(graph, out.builder.platform(), observers);
    if (iterations >= kMostIterations || steady(schedule, out.backward_ends, cycle)) {
      return read(out, graph, schedule);
    }
  }
}

}  // namespace

JobSpec under(JobSpec job, const JobConditions& conditions) {
  job.profile = job.profile.scaled(conditions.computing / job.conditions.computing);
  job.conditions = conditions;
  return job;
}

namespace {

Seconds time_as_it_is(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                      Communicator& communicator) {
  return until_steady(job, strategy, options, communicator, {},
                      [&](const Emitted& out, const TaskGraph&, const Schedule& schedule) {
                        return SteadyPart(schedule, out.backward_ends, strategy.cycle(job, options))
                            .iteration_time();
                      });
}

// What a worker alone needs of each resource that it shares.
struct Alone {
  Seconds time;
  std::vector<CrowdedResource> resources;
};
Alone alone(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
            Communicator& communicator) {
  LoadShares loads;
  Observer* const observers[] = {&loads};
  return until_steady(
      job, strategy, options, communicator, observers,
      [&](Emitted& out, const TaskGraph&, const Schedule& schedule) {
        const SteadyPart steady(schedule, out.backward_ends, strategy.cycle(job, options));
        Alone found{steady.iteration_time(), {}};
        const Platform& platform = out.builder.platform();
        for (const auto& [id, users] : out.builder.users()) {
          const double share = loads.share(platform, id, steady.from, steady.to);
          found.resources.push_back({platform.resource(id).name, users, share * found.time});
        }
        return found;
      });
}

// The job with what the others of workers that wait for nobody leave of what they share.
JobSpec among_others(JobSpec job, const Strategy& strategy, const StrategyOptions& options,
                     Communicator& communicator) {
  if (options.has("sync_time") && options.was_set("sync_time")) return job;
  if (!strategy.workers_wait_for_nobody() || job.ranks() < 2) return job;
  const Alone one = alone(job, strategy, options, communicator);
  const auto time_under = [&](const Crowding& crowding) {
    job.crowding = crowding;
    return time_as_it_is(job, strategy, options, communicator);
  };
  job.crowding = settled_crowding(one.resources, one.time, time_under);
  return job;
}

}  // namespace

JobResult simulate_job(const JobSpec& asked, const Strategy& strategy,
                       const StrategyOptions& options, Communicator& communicator) {
  const JobSpec job = among_others(asked, strategy, options, communicator);
  LoadShares loads;
  Observer* const observers[] = {&loads};
  JobResult result = until_steady(
      job, strategy, options, communicator, observers,
      [&](Emitted& out, const TaskGraph& graph, const Schedule& schedule) {
        return read_job({out.builder, graph, out.builder.platform(), schedule, loads,
                         out.backward_ends, out.builder.compute(0), strategy.cycle(job, options)});
      });
  result.updating = std::max(Seconds(), result.updating - beginning(job, strategy));
  return result;
}

Seconds steady_time(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                    Communicator& communicator) {
  return time_as_it_is(among_others(job, strategy, options, communicator), strategy, options,
                       communicator);
}

std::vector<NcclUse> nccl_groups(JobSpec job, const Strategy& strategy,
                                 const StrategyOptions& options, Communicator& communicator) {
  strategy.check(job, options);
  job.profile.micro_batches = 1;  // further ones call the same
  Emitted out(job, communicator, strategy.simulated_ranks(job, options));
  const std::unique_ptr<Aggregation> aggregation = strategy.start(out.builder, options);
  emit(out, *aggregation, Seconds(0), false, strategy.cycle(job, options));
  return out.builder.log().nccl_groups();
}

JobGraph job_graph(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                   Communicator& communicator, int iterations) {
  strategy.check(job, options);
  const JobSpec settled = among_others(job, strategy, options, communicator);
  Emitted out = emit_job(settled, strategy, options, communicator, iterations);
  return {out.builder.take_graph(), out.builder.platform()};
}

Timeline job_timeline(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                      Communicator& communicator, int iterations) {
  const JobGraph out = job_graph(job, strategy, options, communicator, iterations);
  return simulate(out.graph, out.platform);
}

}  // namespace paceline
