#include "simulator/job/job_builder.h"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

SpanKind kind_of(Phase phase) {
  return phase == Phase::kForward ? SpanKind::kForward : SpanKind::kBackward;
}

void add_if(std::vector<TaskId>& tasks, TaskId task) {
  if (task != kNoTask) tasks.push_back(task);
}

}  // namespace

JobBuilder::JobBuilder(const JobSpec& spec, Communicator& communicator, int ranks)
    : spec_(spec),
      communicator_(communicator),
      ranks_(ranks),
      fabric_(platform_, spec.cluster, communicator.staging(), spec.priors, spec.conditions) {
  if (spec.shared_cores) cores_.emplace(platform_, *spec.shared_cores);
  const auto count = static_cast<std::size_t>(ranks);
  const std::size_t tensors = spec.profile.gradients.size();
  ready_.assign(count, std::vector<TaskId>(tensors, kNoTask));
  weights_ready_ = ready_;
  latest_.assign(count, kNoTask);
  blocked_by_.resize(count);
  sent_.resize(count);
  gradients_of_layer_.resize(spec.profile.layers.size());
  for (std::uint32_t i = 0; i < tensors; ++i) {
    gradients_of_layer_.at(spec.profile.gradients[i].layer).push_back(i);
  }
  for (int rank = 0; rank < ranks; ++rank) compute(rank);
  if (spec.contention && spec.ranks() > 1) {
    devices_.emplace(platform_, spec.contention->device);
  }
}

ResourceId JobBuilder::queue(int rank, const std::string& name) {
  const std::pair<int, std::string> key{rank, name};
  if (const auto known = queues_.find(key); known != queues_.end()) return known->second;
  const std::string owner = rank < 0 ? "host/" : "rank" + std::to_string(rank) + "/";
  return queues_[key] = platform_.add_serial(owner + name);
}

Label JobBuilder::label(SpanKind kind, int rank, std::int32_t layer) const {
  Label out;
  out.kind = kind;
  out.rank = rank;
  out.layer = layer;
  out.iteration = static_cast<std::int16_t>(iteration_);
  return out;
}

Task JobBuilder::work(Seconds time, ResourceId queue, const Label& label, int rank) {
  const SimTime alone = SimTime::from(time);
  if (!cores_) return fixed_task(alone, queue, label);
  return cores_->computing(alone, rank < 0 ? 1 : spec_.context.threads, rank < 0 ? 1 : stands_for(),
                           queue, label);
}

Way JobBuilder::loaded(Way way) const {
  if (!cores_) return way;
  if (fabric_.on_network(way)) {
    cores_->load(way, stands_for());
  } else {
    cores_->load_in_memory(way, spec_.processor_rate, stands_for());
  }
  return way;
}

Way JobBuilder::between(int from, int to) {
  if (spec_.group.machines == 1) return fabric_.between(from, to);
  const auto card = [](int rank) { return "network card of machine " + std::to_string(rank); };
  Way way = fabric_.out_of(card(from), 1) + fabric_.into(card(to), 1);
  way.latency = spec_.cluster.network->latency;
  way.cap = spec_.cluster.network->per_flow.value_or(way.cap);
  return way;
}

TaskId JobBuilder::ready(int rank, std::uint32_t gradient) const {
  const TaskId task = ready_.at(static_cast<std::size_t>(rank)).at(gradient);
  PACELINE_ASSERT(task != kNoTask, "a gradient is aggregated after it is final");
  return task;
}

void JobBuilder::note_nccl(const CollectiveGroup& group, const CollectiveCost& cost) {
  auto known = std::ranges::find(nccl_groups_, group, &NcclUse::group);
  if (known == nccl_groups_.end()) known = nccl_groups_.insert(known, NcclUse{group});
  known->in_switch = known->in_switch || reduces_in_switch(cost);
}

CollectiveCost JobBuilder::message_cost(CollectiveOp op, Bytes bytes, const CollectiveGroup& group,
                                        const std::string& library) {
  CollectiveCost cost = communicator_.cost(op, bytes, group, library);
  if (library == "nccl") note_nccl(group, cost);
  read_.communication = true;
  read_.messages = read_.messages || cost.sd > 0;
  cost.time *= spec_.conditions.communication * std::exp(spec_.conditions.messages * cost.sd);
  return cost;
}

TaskId JobBuilder::collective(int rank, CollectiveOp op, Bytes bytes, std::span<const TaskId> after,
                              const std::string& stream, const std::string& library) {
  return collective_over(spec_.group, rank, op, bytes, after, stream, library);
}

TaskId JobBuilder::collective_over(const CollectiveGroup& group, int rank, CollectiveOp op,
                                   Bytes bytes, std::span<const TaskId> after,
                                   const std::string& stream, const std::string& library) {
  if (group.ranks() < 2 || bytes.si() <= 0) return join(after);
  const bool by_gloo = spec_.on_processors && library == "nccl";
  const CollectiveCost cost =
      message_cost(op, bytes, group, by_gloo ? std::string("gloo") : library);
  if (cost.time > slowest_message_) {
    slowest_message_ = cost.time;
    bottleneck_ = cost.bottleneck;
    message_origin_ = cost.origin;
    warnings_ = cost.warnings;
  }
  return message(rank, cost, bytes, bytes * bus_factor(op, group.ranks()), after, stream);
}

TaskId JobBuilder::message(int rank, const CollectiveCost& cost, Bytes bytes, Bytes sent,
                           std::span<const TaskId> after, const std::string& stream,
                           std::int16_t priority) {
  const Label name = label(SpanKind::kCommunicate, rank);
  const ResourceId on = queue(rank, stream);
  Task task = cores_ ? cores_->message(cost.time, sent, stands_for(), on, name)
                     : fixed_task(SimTime::from(cost.time), on, name);
  if (devices_ && rank >= 0) {
    if (const auto demand = spec_.contention->demand(cost, spec_.conditions.contention)) {
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
  const Task task = cores_ ? cores_->message(time, sent, stands_for(), on, name)
                           : fixed_task(SimTime::from(time), on, name);
  return add_message(rank, task, bytes, sent, after);
}

TaskId JobBuilder::add_message(int rank, const Task& task, Bytes bytes, Bytes sent,
                               std::span<const TaskId> after) {
  const TaskId id = task.priority == 0 ? tasks_.add_in_order(task, after) : tasks_.add(task, after);
  messages_.push_back({bytes, iteration_, id, id});
  if (rank >= 0) sent_.at(static_cast<std::size_t>(rank)) += sent;
  return id;
}

TaskId JobBuilder::copy(const Way& way, Bytes bytes, int sender, std::span<const TaskId> after,
                        ResourceId queue, std::int16_t priority) {
  if (bytes.si() <= 0) return join(after);
  read_.communication = read_.links = true;
  Task task = transfer_task(bytes, fabric_.route(loaded(way)), queue,
                            label(SpanKind::kCommunicate, std::max(0, sender)));
  task.priority = priority;
  const TaskId id = tasks_.add(task, after);
  if (sender >= 0) sent_.at(static_cast<std::size_t>(sender)) += bytes;
  messages_.push_back({bytes, iteration_, id, id});
  return id;
}

ConditionsRead JobBuilder::conditions_read() const {
  ConditionsRead read = read_;
  read.processors = read.processors || fabric_.is_limited();
  return read;
}

TaskId JobBuilder::spend(Seconds time, std::span<const TaskId> after, ResourceId queue,
                         SpanKind kind, int rank) {
  const Task task = fixed_task(SimTime::from(time), queue, label(kind, rank));
  return queue == kNoResource ? tasks_.add(task, after) : tasks_.add_in_order(task, after);
}

TaskId JobBuilder::request(Seconds latency, std::span<const TaskId> after, ResourceId queue,
                           std::int16_t priority) {
  Task turn = fixed_task(SimTime(), queue, label(SpanKind::kWait, 0));
  turn.priority = priority;
  const TaskId sent = tasks_.add(turn, after);
  return spend(latency, {&sent, 1}, kNoResource, SpanKind::kWait);
}

void JobBuilder::set_weights_ready(int rank, std::uint32_t gradient, TaskId task) {
  weights_ready_.at(static_cast<std::size_t>(rank)).at(gradient) = task;
}

void JobBuilder::set_all_weights_ready(int rank, TaskId task) {
  std::ranges::fill(weights_ready_.at(static_cast<std::size_t>(rank)), task);
}

void JobBuilder::block(int rank, TaskId task) {
  blocked_by_.at(static_cast<std::size_t>(rank)).push_back(task);
}

TaskId JobBuilder::add_compute(int rank, const Task& task, std::span<const TaskId> after) {
  std::vector<TaskId>& blocked = blocked_by_.at(static_cast<std::size_t>(rank));
  std::vector<TaskId> all(after.begin(), after.end());
  all.insert(all.end(), blocked.begin(), blocked.end());
  blocked.clear();
  return latest_.at(static_cast<std::size_t>(rank)) = tasks_.add_in_order(task, all);
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
  const auto index = static_cast<std::size_t>(rank);
  std::vector<TaskId> after;
  if (wait_for_weights) {
    for (const std::uint32_t gradient : gradients_of_layer_.at(segment.layer)) {
      TaskId& weights = weights_ready_[index][gradient];
      add_if(after, weights);
      weights = kNoTask;  // later micro-batches follow on the same stream
    }
    std::ranges::sort(after);
    after.erase(std::ranges::unique(after).begin(), after.end());
  }
  const Label text = label(kind_of(phase), rank, static_cast<std::int32_t>(segment.layer));
  const TaskId id = add_segment(rank, segment, text, after);
  if (!final) return;
  for (const std::uint32_t gradient : segment.gradients) ready_[index][gradient] = id;
}

void JobBuilder::fixed_compute(int rank, SpanKind kind, Seconds time) {
  add_compute(rank, work(time, compute(rank), label(kind, rank), rank), {});
}

}  // namespace paceline
