#include "simulator/job/job_tasks.h"

namespace paceline {

JobTasks::JobTasks(const JobSpec& spec, const StagingModel& staging, int ranks)
    : spec_(spec),
      ranks_(ranks),
      fabric_(platform_, spec.cluster, staging, spec.priors, spec.conditions) {
  if (spec.shared_cores) cores_.emplace(platform_, *spec.shared_cores);
  for (int rank = 0; rank < ranks; ++rank) compute(rank);
}

ResourceId JobTasks::queue(int rank, const std::string& name) {
  const std::pair<int, std::string> key{rank, name};
  if (const auto known = queues_.find(key); known != queues_.end()) return known->second;
  const std::string owner = rank < 0 ? "host/" : "rank" + std::to_string(rank) + "/";
  return queues_[key] = platform_.add_serial(owner + name);
}

Label JobTasks::label(SpanKind kind, int rank, std::int32_t layer) const {
  Label out;
  out.kind = kind;
  out.rank = rank;
  out.layer = layer;
  out.iteration = static_cast<std::int16_t>(iteration_);
  return out;
}

Task JobTasks::work(Seconds time, ResourceId queue, const Label& label, int rank) {
  const SimTime alone = SimTime::from(time);
  if (!cores_) return fixed_task(alone, queue, label);
  return cores_->computing(alone, rank < 0 ? 1 : spec_.context.threads, rank < 0 ? 1 : stands_for(),
                           queue, label);
}

double JobTasks::crowding(ResourceId id) const {
  const auto found = spec_.crowding.find(platform_.resource(id).name);
  return found == spec_.crowding.end() ? 1 : found->second;
}

double JobTasks::users_per_load(ResourceId id) const {
  const auto found = users_.find(id);
  return found == users_.end() ? 1 : found->second / crowding(id);
}

Way JobTasks::crowded(Way way, const std::map<ResourceId, int>& users) {
  for (RouteUse& use : way.uses) {
    users_[use.resource] = users.at(use.resource);
    use.weight *= crowding(use.resource);
  }
  return way;
}

Task JobTasks::shared_work(Seconds time, const std::string& processor, int users,
                           const Label& label) {
  const auto [known, is_new] = processors_.try_emplace(processor);
  if (is_new) {
    const ResourceId id = platform_.add_shared("host/" + processor, 1, "processors");
    users_[id] = users;
    Route route;
    route.name = processor;
    route.uses = {{id, crowding(id)}};
    if (cores_) route.uses.push_back(cores_->use(1, 1));
    route.rate_cap = BytesPerSecond(1);
    known->second = platform_.add_route(std::move(route));
  }
  return stretchable_task(SimTime::from(time), known->second, kNoResource, label);
}

Way JobTasks::loaded(Way way) const {
  if (!cores_) return way;
  if (fabric_.on_network(way)) {
    cores_->load(way, stands_for());
  } else {
    cores_->load_in_memory(way, spec_.processor_rate, stands_for());
  }
  return way;
}

TaskId JobTasks::spend(Seconds time, std::span<const TaskId> after, ResourceId queue, SpanKind kind,
                       int rank) {
  const Task task = fixed_task(SimTime::from(time), queue, label(kind, rank));
  return queue == kNoResource ? tasks_.add(task, after) : tasks_.add_in_order(task, after);
}

TaskId JobTasks::request(Seconds latency, std::span<const TaskId> after, ResourceId queue,
                         std::int16_t priority) {
  Task turn = fixed_task(SimTime(), queue, label(SpanKind::kWait, 0));
  turn.priority = priority;
  const TaskId sent = tasks_.add(turn, after);
  return spend(latency, {&sent, 1}, kNoResource, SpanKind::kWait);
}

}  // namespace paceline
