#include "simulator/job/job_builder.h"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

SpanKind kind_of(Phase phase) {
  return phase == Phase::kForward ? SpanKind::kForward : SpanKind::kBackward;
}

}  // namespace

JobBuilder::JobBuilder(const JobSpec& spec, Communicator& communicator, int ranks)
    : JobTasks(spec, communicator.staging(), ranks),
      communicator_(communicator),
      progress_(spec.profile, ranks),
      stream_kernels_(spec),
      log_(ranks) {
  if (spec.contention && spec.ranks() > 1) devices_.emplace(platform(), spec.contention->device);
}

Way JobBuilder::between(int from, int to) {
  if (spec().group.machines == 1) return fabric().between(from, to);
  const auto card = [](int rank) { return "network card of machine " + std::to_string(rank); };
  Way way = fabric().out_of(card(from), 1) + fabric().into(card(to), 1);
  way.latency = spec().cluster.network->latency;
  way.cap = spec().cluster.network->per_flow.value_or(way.cap);
  return way;
}

CollectiveCost JobBuilder::message_cost(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                                        const std::string& library) {
  CollectiveCost cost = communicator_.cost(op, bytes, group, library);
  if (library == "nccl") log_.note_nccl(group, cost);
  read_.communication = true;
  read_.messages = read_.messages || cost.sd > 0;
  cost.time *= spec().conditions.communication * std::exp(spec().conditions.messages * cost.sd);
  return cost;
}

TaskId JobBuilder::collective(int rank, CollectiveOp op, Bytes bytes, std::span<const TaskId> after,
                              const std::string& stream, const std::string& library) {
  return collective_over(spec().group, rank, op, bytes, after, stream, library);
}

TaskId JobBuilder::collective_over(const CollectiveGroup& group, int rank, CollectiveOp op,
                                   Bytes bytes, std::span<const TaskId> after,
                                   const std::string& stream, const std::string& library) {
  if (group.ranks() < 2 || bytes.si() <= 0) return join(after);
  const bool by_gloo = spec().on_processors && library == "nccl";
  const CollectiveCost cost =
      message_cost(op, bytes, group, by_gloo ? std::string("gloo") : library);
  log_.note(cost);
  return message(rank, cost, bytes, bytes * bus_factor(op, group.ranks()), after, stream);
}

TaskId JobBuilder::message(int rank, const CollectiveCost& cost, Bytes bytes, Bytes sent,
                           std::span<const TaskId> after, const std::string& stream,
                           std::int16_t priority) {
  const Label name = label(SpanKind::kCommunicate, rank);
  const ResourceId on = queue(rank, stream);
  Task task = cores() ? cores()->message(cost.time, sent, stands_for(), on, name)
                      : fixed_task(SimTime::from(cost.time), on, name);
  if (devices_ && rank >= 0) {
    if (const auto demand = spec().contention->demand(cost, spec().conditions.contention)) {
      task =
          stretchable_task(SimTime::from(cost.time), devices_->collective(rank, *demand), on, name);
      read_.contention = true;
    }
  }
  task.priority = priority;
  return add_message(rank, task, bytes, sent, after);
}

TaskId JobBuilder::timed_message(int rank, Seconds time, Bytes bytes, Bytes sent,
                                 std::span<const TaskId> after, const std::string& stream) {
  read_.communication = true;
  const Label name = label(SpanKind::kCommunicate, rank);
  const ResourceId on = queue(rank, stream);
  const Task task = cores() ? cores()->message(time, sent, stands_for(), on, name)
                            : fixed_task(SimTime::from(time), on, name);
  return add_message(rank, task, bytes, sent, after);
}

TaskId JobBuilder::add_message(int rank, const Task& task, Bytes bytes, Bytes sent,
                               std::span<const TaskId> after) {
  const TaskId id =
      task.priority == 0 ? tasks().add_in_order(task, after) : tasks().add(task, after);
  log_.add({bytes, iteration(), id, id}, rank, sent);
  return id;
}

TaskId JobBuilder::copy(const Way& way, Bytes bytes, int sender, std::span<const TaskId> after,
                        ResourceId queue, std::int16_t priority) {
  if (bytes.si() <= 0) return join(after);
  read_.communication = read_.links = true;
  Task task = transfer_task(bytes, fabric().route(loaded(way)), queue,
                            label(SpanKind::kCommunicate, std::max(0, sender)));
  task.priority = priority;
  const TaskId id = tasks().add(task, after);
  log_.add({bytes, iteration(), id, id}, sender, bytes);
  return id;
}

ConditionsRead JobBuilder::conditions_read() const {
  ConditionsRead read = read_;
  read.processors = read.processors || fabric().is_limited();
  return read;
}

TaskId JobBuilder::add_compute(int rank, const Task& task, std::span<const TaskId> after) {
  const std::vector<TaskId> blocks = progress_.take_blocks(rank);
  std::vector<TaskId> all(after.begin(), after.end());
  all.insert(all.end(), blocks.begin(), blocks.end());
  const TaskId id = tasks().add_in_order(task, all);
  progress_.set_latest(rank, id);
  return id;
}

// Where collectives take part of the device, the parts of the segment by what bounds them: their
// order inside it does not matter.
TaskId JobBuilder::add_segment(int rank, const ComputeSegment& segment, const Label& label,
                               std::span<const TaskId> after) {
  const ResourceId stream = compute(rank);
  if (!devices_) {
    return add_compute(rank, work(segment.time, stream, label, rank), after);
  }
  const SimTime arithmetic = SimTime::from(segment.compute_bound);
  const SimTime memory = SimTime::from(segment.memory_bound);
  const SimTime rest = SimTime::from(segment.time) - arithmetic - memory;
  TaskId id = kNoTask;
  const auto add = [&](const Task& task) {
    if (id != kNoTask && task.duration <= SimTime()) return;
    id = add_compute(rank, task, id == kNoTask ? after : std::span<const TaskId>());
  };
  add(fixed_task(std::max(rest, SimTime()), stream, label));
  add(stretchable_task(arithmetic, devices_->compute_bound(rank), stream, label));
  add(stretchable_task(memory, devices_->memory_bound(rank), stream, label));
  return id;
}

void JobBuilder::segment(int rank, Phase phase, const ComputeSegment& segment,
                         bool wait_for_weights, bool final) {
  const std::vector<TaskId> after =
      wait_for_weights ? progress_.take_weights(rank, segment.layer) : std::vector<TaskId>();
  const Label text = label(kind_of(phase), rank, static_cast<std::int32_t>(segment.layer));
  const TaskId id = add_segment(rank, segment, text, after);
  if (final) progress_.set_ready(rank, segment.gradients, id);
}

void JobBuilder::fixed_compute(int rank, SpanKind kind, Seconds time) {
  add_compute(rank, work(time, compute(rank), label(kind, rank), rank), {});
}

}  // namespace paceline
