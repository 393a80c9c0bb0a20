#include "simulator/job/simulate_job.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/engine/engine.h"
#include "simulator/engine/load_recorder.h"
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
  TimedSynchronization(JobBuilder& job, Seconds time) : job_(job), time_(time) {}
  void end_backward() override {
    const TaskId after[] = {job_.latest(0)};
    const TaskId done =
        job_.timed_message(0, time_, job_.spec().profile.gradient_bytes(),
                           job_.spec().profile.gradient_bytes(), after, "communication");
    job_.block(0, done);
  }
  void update() override {}

 private:
  JobBuilder& job_;
  Seconds time_;
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

void emit(Emitted& out, Aggregation& aggregation, bool every, int iterations) {
  JobBuilder& job = out.builder;
  const ComputeProfile& profile = job.spec().profile;
  const std::int64_t batches = profile.micro_batches;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    job.begin_iteration(iteration);
    aggregation.begin_iteration();
    for (int rank = 0; rank < job.ranks() && profile.begin > Seconds(0); ++rank) {
      job.fixed_compute(rank, SpanKind::kUpdate, profile.begin);
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
      timed ? std::make_unique<TimedSynchronization>(out.builder, options.seconds("sync_time"))
            : strategy.start(out.builder, options);
  const bool every = options.has("sync") && options.is("sync", "every");
  emit(out, *aggregation, every, iterations);
  return out;
}

struct Interval {
  SimTime start, end;
};

// Length of what is covered by at least one of the intervals, inside [from, to].
SimTime covered(std::vector<Interval> intervals, SimTime from, SimTime to) {
  std::ranges::sort(intervals, {}, &Interval::start);
  SimTime total;
  SimTime reached = from;
  for (const Interval& interval : intervals) {
    const SimTime start = std::max(interval.start, reached);
    const SimTime end = std::min(interval.end, to);
    if (end <= start) continue;
    total += end - start;
    reached = end;
  }
  return total;
}

// What happened in the steady iteration, between two ends of the backward pass of rank 0.
class Reading {
 public:
  Reading(const TaskGraph& graph, const Platform& platform, const Schedule& schedule,
          ResourceId compute, SimTime from, SimTime to)
      : graph_(graph),
        platform_(platform),
        schedule_(schedule),
        compute_(compute),
        from_(from),
        to_(to) {
    busy_.resize(platform.resources().size());
    for (std::uint32_t i = 0; i < graph.size(); ++i) add(TaskId{i});
  }

  Seconds period() const { return (to_ - from_).seconds(); }

  Breakdown breakdown() const {
    Breakdown out;
    out.forward = by_kind_[static_cast<std::size_t>(SpanKind::kForward)].seconds();
    out.backward = by_kind_[static_cast<std::size_t>(SpanKind::kBackward)].seconds();
    out.optimizer = by_kind_[static_cast<std::size_t>(SpanKind::kUpdate)].seconds();
    // Idle or busy with aggregation; what of it no message covers is waiting for other things.
    const SimTime computing = covered(computing_, from_, to_);
    std::vector<Interval> either = computing_;
    either.insert(either.end(), messages_.begin(), messages_.end());
    const SimTime all = covered(std::move(either), from_, to_);
    out.exposed_communication = (all - computing).seconds();
    out.bubble = period() - out.total();
    if (out.bubble < Seconds(0)) out.bubble = Seconds();
    return out;
  }
  Seconds communicating() const { return covered(messages_, from_, to_).seconds(); }
  double share(ResourceId id) const { return busy_[static_cast<std::size_t>(id)] / period().si(); }
  SimTime start_of(TaskId task) const { return schedule_.start[static_cast<std::size_t>(task)]; }
  SimTime end_of(TaskId task) const { return schedule_.end[static_cast<std::size_t>(task)]; }
  SimTime from() const { return from_; }

 private:
  void add(TaskId id) {
    const Label& label = graph_.label(id);
    const Interval whole{start_of(id), end_of(id)};
    const Interval part{std::max(whole.start, from_), std::min(whole.end, to_)};
    if (part.end <= part.start) return;
    const ResourceId resource = graph_.record(id).resource;
    if (resource != kNoResource) {
      busy_[static_cast<std::size_t>(resource)] += (part.end - part.start).seconds().si();
    }
    if (label.kind == SpanKind::kCommunicate || label.kind == SpanKind::kReduce) {
      messages_.push_back(part);
    }
    if (resource != compute_ || label.kind == SpanKind::kReduce) return;
    by_kind_[static_cast<std::size_t>(label.kind)] += part.end - part.start;
    computing_.push_back(part);
  }

  const TaskGraph& graph_;
  const Platform& platform_;
  const Schedule& schedule_;
  ResourceId compute_;
  SimTime from_, to_;
  std::vector<double> busy_;  // seconds, by resource
  std::array<SimTime, kSpanKinds> by_kind_{};
  std::vector<Interval> computing_;
  std::vector<Interval> messages_;
};

// Integral of the load of shared resources over the steady iteration, in shares of their capacity.
class LoadShares : public Observer {
 public:
  void on_begin(const TaskGraph&, const Platform& platform) override {
    loads_.assign(platform.resources().size(), {});
  }
  void on_load(ResourceId resource, SimTime now, double used) override {
    loads_[static_cast<std::size_t>(resource)].push_back({now, used});
  }
  double share(const Platform& platform, ResourceId id, SimTime from, SimTime to) const {
    double total = 0;
    const auto& points = loads_[static_cast<std::size_t>(id)];
    for (std::size_t i = 0; i < points.size(); ++i) {
      const SimTime start = std::max(points[i].first, from);
      const SimTime end = std::min(i + 1 < points.size() ? points[i + 1].first : to, to);
      if (end > start) total += points[i].second * (end - start).seconds().si();
    }
    return total / (platform.resource(id).capacity * (to - from).seconds().si());
  }

 private:
  std::vector<std::vector<std::pair<SimTime, double>>> loads_;
};

void name_busiest(JobResult& result, const Platform& platform, const Reading& reading,
                  const LoadShares& loads, SimTime from, SimTime to, ResourceId compute,
                  const std::string& message_bottleneck) {
  for (std::uint32_t i = 0; i < platform.resources().size(); ++i) {
    const ResourceId id{i};
    if (id == compute) continue;
    const Platform::Resource& resource = platform.resource(id);
    const bool shared = resource.kind == Platform::Kind::kShared;
    const double share = shared ? loads.share(platform, id, from, to) : reading.share(id);
    if (share <= result.busiest_share) continue;
    result.busiest_share = share;
    const bool stream = resource.name.ends_with("/communication");
    result.busiest = stream && !message_bottleneck.empty() ? message_bottleneck : resource.name;
  }
}

Breakdown divided(Breakdown breakdown, int parts) {
  for (Seconds Breakdown::*part : {&Breakdown::forward, &Breakdown::backward, &Breakdown::optimizer,
                                   &Breakdown::exposed_communication, &Breakdown::host,
                                   &Breakdown::input, &Breakdown::bubble}) {
    breakdown.*part /= parts;
  }
  return breakdown;
}

JobResult read(const JobBuilder& builder, const TaskGraph& graph, const Platform& platform,
               const Schedule& schedule, const LoadShares& loads, const std::vector<TaskId>& ends,
               ResourceId compute, int cycle) {
  const auto end_of = [&](std::size_t i) {
    return schedule.end[static_cast<std::size_t>(ends[i])];
  };
  const std::size_t last = ends.size() - 2;  // the end of the last iteration cuts nothing off
  const SimTime from = end_of(last - static_cast<std::size_t>(cycle));
  const SimTime to = end_of(last);
  const Reading reading(graph, platform, schedule, compute, from, to);
  JobResult result;
  result.iterations = static_cast<int>(ends.size());
  result.iteration_time = reading.period() / cycle;
  result.breakdown = divided(reading.breakdown(), cycle);
  result.compute_share = reading.share(compute);
  result.message_sd = builder.message_sd();
  result.warnings = builder.warnings();
  result.communication.exposed = result.breakdown.exposed_communication;
  result.communication.total = reading.communicating() / cycle;
  Bytes most;
  for (int rank = 0; rank < builder.ranks(); ++rank) most = std::max(most, builder.sent(rank));
  result.communication.bytes_per_device =
      std::llround(most.si() / static_cast<double>(ends.size()));
  for (const SentMessage& message : builder.messages()) {
    const int age = static_cast<int>(last) - message.iteration;
    if (age < 0 || age >= cycle) continue;
    result.communication.messages.push_back(
        {.bytes = std::llround(message.bytes.si()),
         .start = (reading.start_of(message.first)).seconds() - from.seconds(),
         .end = (reading.end_of(message.last)).seconds() - from.seconds()});
  }
  name_busiest(result, platform, reading, loads, from, to, compute, builder.message_bottleneck());
  return result;
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

}  // namespace

JobResult simulate_job(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                       Communicator& communicator) {
  check_size(job);
  strategy.check(job, options);
  const int cycle = strategy.cycle(job, options);
  const int fewest = cycle == 1 ? kFewestIterations : 3 * cycle;
  for (int iterations = fewest;; iterations *= 2) {
    Emitted out = emit_job(job, strategy, options, communicator, iterations);
    const ResourceId compute = out.builder.compute(0);
    const Platform platform = out.builder.platform();
    const JobBuilder& kept = out.builder;
    const TaskGraph graph = out.builder.take_graph();
    LoadShares loads;
    Observer* const observers[] = {&loads};
    const Schedule schedule = paceline::schedule(graph, platform, observers);
    const bool enough = iterations >= kMostIterations;
    if (!steady(schedule, out.backward_ends, cycle) && !enough) continue;
    return read(kept, graph, platform, schedule, loads, out.backward_ends, compute, cycle);
  }
}

Timeline job_timeline(const JobSpec& job, const Strategy& strategy, const StrategyOptions& options,
                      Communicator& communicator, int iterations) {
  strategy.check(job, options);
  Emitted out = emit_job(job, strategy, options, communicator, iterations);
  const TaskGraph graph = out.builder.take_graph();
  return simulate(graph, out.builder.platform());
}

}  // namespace paceline
