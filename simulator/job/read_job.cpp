#include "simulator/job/read_job.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace paceline {
namespace {

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
  Seconds updating() const { return updating_.seconds(); }
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
    if (label.kind == SpanKind::kUpdate && label.rank == 0) updating_ += part.end - part.start;
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
  SimTime updating_;  // of rank 0, on any resource
  std::vector<Interval> computing_;
  std::vector<Interval> messages_;
};

// What kernels of a rank share with collectives (SharedDevice): busy with kernels.
bool is_of_device(const std::string& name) {
  return name.starts_with("rank") &&
         (name.ends_with("/multiprocessors") || name.ends_with("/memory"));
}

void name_busiest(JobResult& result, const Platform& platform, const Reading& reading,
                  const LoadShares& loads, SimTime from, SimTime to, ResourceId compute,
                  const JobBuilder& builder) {
  const std::string& message_bottleneck = builder.log().bottleneck();
  for (std::uint32_t i = 0; i < platform.resources().size(); ++i) {
    const ResourceId id{i};
    const Platform::Resource& resource = platform.resource(id);
    if (id == compute || resource.name.ends_with("/compute") || is_of_device(resource.name)) {
      continue;
    }
    const bool shared = resource.kind == Platform::Kind::kShared;
    const double share = shared ? loads.share(platform, id, from, to) * builder.users_per_load(id)
                                : reading.share(id);
    if (share <= result.busiest_share) continue;
    result.busiest_share = share;
    const bool stream = resource.name.ends_with("/communication");
    result.busiest = !stream                      ? resource.name
                     : message_bottleneck.empty() ? "communication"
                                                  : message_bottleneck;
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

}  // namespace

JobResult read_job(const SimulatedJob& job) {
  const auto& [builder, graph, platform, schedule, loads, ends, compute, cycle] = job;
  const SteadyPart steady(schedule, ends, cycle);
  const SimTime from = steady.from, to = steady.to;
  const Reading reading(graph, platform, schedule, compute, from, to);
  JobResult result;
  result.iterations = static_cast<int>(ends.size());
  result.iteration_time = steady.iteration_time();
  result.breakdown = divided(reading.breakdown(), cycle);
  result.updating = reading.updating() / cycle;
  result.compute_share = reading.share(compute);
  result.conditions_read = builder.conditions_read();
  result.warnings = builder.log().warnings();
  result.message_origin = builder.log().origin();
  result.communication.exposed = result.breakdown.exposed_communication;
  result.communication.total = reading.communicating() / cycle;
  Bytes most;
  for (int rank = 0; rank < builder.ranks(); ++rank)
    most = std::max(most, builder.log().sent(rank));
  result.communication.bytes_per_device =
      std::llround(most.si() / static_cast<double>(ends.size()));
  for (const SentMessage& message : builder.log().messages()) {
    const int age = static_cast<int>(steady.last) - message.iteration;
    if (age < 0 || age >= cycle) continue;
    result.communication.messages.push_back(
        {.bytes = std::llround(message.bytes.si()),
         .start = (reading.start_of(message.first)).seconds() - from.seconds(),
         .end = (reading.end_of(message.last)).seconds() - from.seconds()});
  }
  name_busiest(result, platform, reading, loads, from, to, compute, builder);
  return result;
}

}  // namespace paceline
