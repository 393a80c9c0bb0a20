#include "simulator/engine/simulation.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/error.h"

namespace paceline {
namespace {

void check_resources(const TaskGraph& graph, const Platform& platform) {
  const std::span<const Platform::Resource> resources = platform.resources();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskGraph::Record& record = graph.record(static_cast<TaskId>(i));
    if (record.resource != kNoResource) {
      const auto r = static_cast<std::size_t>(record.resource);
      PACELINE_ASSERT(r < resources.size() && resources[r].kind == Platform::Kind::kQueued,
                      "a task's resource is a queued resource of the platform");
    }
    PACELINE_ASSERT(record.route == kNoRoute ||
                        static_cast<std::size_t>(record.route) < platform.routes().size(),
                    "a task's route is a route of the platform");
  }
}

}  // namespace

Simulation::Simulation(const TaskGraph& graph, const Platform& platform,
                       std::span<Observer* const> observers)
    : graph_(graph),
      platform_(platform),
      observers_(observers),
      missing_(graph.in_degrees().begin(), graph.in_degrees().end()),
      events_(graph.size()),
      fluid_(platform) {
  check_resources(graph, platform);
  schedule_.start.resize(graph.size());
  schedule_.end.resize(graph.size());
  schedule_.cause.resize(graph.size(), kNoSpan);
  for (const Platform::Resource& resource : platform.resources()) {
    places_.emplace_back(resource.places);
  }
  for (const Platform::Semaphore& semaphore : platform.semaphores()) {
    semaphores_.emplace_back(semaphore.tokens);
  }
}

Schedule Simulation::run() {
  for (Observer* observer : observers_) observer->on_begin(graph_, platform_);
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    const auto task = static_cast<TaskId>(i);
    if (graph_.in_degree(task) == 0) become_ready(task, TaskId{0xffffffff});
  }
  while (true) {
    const SimTime event = events_.empty() ? Fluid::never() : events_.next_time();
    const SimTime next = std::min(event, fluid_.next_time());
    if (next != now_) {
      if (serve_waiting()) continue;
      if (fluid_.has_changed()) {
        reallocate();
        continue;
      }
      if (next == Fluid::never()) break;
      now_ = next;
    }
    process_instant();
  }
  check_finished();
  schedule_.makespan = now_;
  for (Observer* observer : observers_) observer->on_finish(now_);
  return std::move(schedule_);
}

void Simulation::process_instant() {
  batch_.clear();
  if (fluid_.next_time() == now_) {
    fluid_.pop_done(batch_);
    for (const TaskId task : batch_) end(task);
    batch_.clear();
  }
  if (!events_.empty() && events_.next_time() == now_) {
    events_.pop_instant(batch_);
    for (const TaskId task : batch_) process_event(task);
  }
}

// Returns whether anything was served.
bool Simulation::serve_waiting() {
  if (semaphores_to_serve_.empty() && places_to_serve_.empty()) return false;
  while (!semaphores_to_serve_.empty()) {
    const std::uint32_t semaphore = semaphores_to_serve_.back();
    semaphores_to_serve_.pop_back();
    serve_semaphore(semaphore);
  }
  while (!places_to_serve_.empty()) {
    const std::uint32_t resource = places_to_serve_.back();
    places_to_serve_.pop_back();
    serve_places(resource);
  }
  return true;
}

void Simulation::become_ready(TaskId task, TaskId blocker) {
  schedule_.cause[static_cast<std::size_t>(task)] = static_cast<SpanId>(blocker);
  const TaskGraph::Record& record = graph_.record(task);
  Wait wait;
  wait.reason = blocker == TaskId{0xffffffff} ? WaitReason::kNothing : WaitReason::kDependency;
  wait.blocker = blocker;
  wait.ready = now_;
  if (record.resource == kNoResource && !record.uses_semaphores) {
    start(task, wait);
  } else {
    proceed({wait, now_, task, record.priority, 1}, 0);
  }
}

void Simulation::proceed(WaitQueue::Entry entry, std::size_t next) {
  const TaskGraph::Record& record = graph_.record(entry.task);
  entry.joined = now_;
  if (record.uses_semaphores) {
    const std::span<const TaskGraph::SemaphoreUse> uses = graph_.acquires(entry.task);
    if (next < uses.size()) {
      const auto semaphore = static_cast<std::size_t>(uses[next].semaphore);
      entry.amount = uses[next].tokens;
      semaphores_[semaphore].join(entry);
      mark(semaphores_, semaphores_to_serve_, semaphore);
      return;
    }
  }
  if (record.resource == kNoResource) {
    start(entry.task, entry.wait);
    return;
  }
  entry.amount = 1;
  places_[static_cast<std::size_t>(record.resource)].join(entry);
  mark(places_, places_to_serve_, static_cast<std::size_t>(record.resource));
}

void Simulation::serve_semaphore(std::uint32_t index) {
  WaitQueue& queue = semaphores_[index];
  queue.needs_dispatch = false;
  while (queue.can_serve()) {
    WaitQueue::Entry entry = queue.serve();
    if (entry.joined != now_) {
      const auto semaphore = static_cast<SemaphoreId>(index);
      entry.wait = {WaitReason::kSemaphore, queue.last_giver(), kNoResource, semaphore,
                    entry.wait.ready};
    }
    const auto uses = graph_.acquires(entry.task);
    std::size_t next = 0;
    while (static_cast<std::uint32_t>(uses[next].semaphore) != index) ++next;
    proceed(entry, next + 1);
  }
}

void Simulation::serve_places(std::uint32_t index) {
  WaitQueue& queue = places_[index];
  queue.needs_dispatch = false;
  while (queue.can_serve()) {
    WaitQueue::Entry entry = queue.serve();
    if (entry.joined != now_) {
      entry.wait.reason = WaitReason::kResource;
      entry.wait.blocker = queue.last_giver();
      entry.wait.resource = static_cast<ResourceId>(index);
    }
    start(entry.task, entry.wait);
  }
}

// A task is below 53 days (SimTime::from), so that what starts before then ends on the clock.
void Simulation::check_clock() const {
  constexpr std::int64_t kLatestStart = std::int64_t{1} << 62;
  if (now_.picoseconds() < kLatestStart) return;
  throw UsageError("the simulated time exceeds 53 days; check the times, rates and sizes given");
}

void Simulation::start(TaskId task, const Wait& wait) {
  check_clock();
  const auto index = static_cast<std::size_t>(task);
  const TaskGraph::Record& record = graph_.record(task);
  schedule_.start[index] = now_;
  schedule_.cause[index] = static_cast<SpanId>(wait.blocker);
  for (Observer* observer : observers_) observer->on_start(task, now_, wait);
  SimTime first_event = now_;
  if (record.work == WorkKind::kFixed) {
    first_event += SimTime::from_picoseconds(record.amount);
  } else if (record.work == WorkKind::kTransfer) {
    first_event += SimTime::from(platform_.route(record.route).latency);
  }
  if (first_event == now_ && record.work != WorkKind::kFixed && record.amount != 0) {
    begin_flow(task);
  } else {
    events_.push(first_event, task);
  }
}

// A fixed task ends; a flow has waited out its latency and begins to move.
void Simulation::process_event(TaskId task) {
  const TaskGraph::Record& record = graph_.record(task);
  if (record.work == WorkKind::kFixed || record.amount == 0) {
    end(task);
  } else {
    begin_flow(task);
  }
}

void Simulation::begin_flow(TaskId task) {
  const TaskGraph::Record& record = graph_.record(task);
  if (record.work == WorkKind::kTransfer) {
    fluid_.start(task, record.route, std::bit_cast<double>(record.amount),
                 platform_.route(record.route).rate_cap.si(), now_);
  } else {
    const Seconds alone = SimTime::from_picoseconds(record.amount).seconds();
    fluid_.start(task, record.route, alone.si(), 1, now_);
  }
}

void Simulation::end(TaskId task) {
  const TaskGraph::Record& record = graph_.record(task);
  schedule_.end[static_cast<std::size_t>(task)] = now_;
  ended_ += 1;
  for (Observer* observer : observers_) observer->on_end(task, now_);
  if (record.resource != kNoResource) {
    const auto resource = static_cast<std::size_t>(record.resource);
    places_[resource].give_back(1, task);
    mark(places_, places_to_serve_, resource);
  }
  if (record.uses_semaphores) release_semaphores(task);
  for (const TaskId next : graph_.successors(task)) {
    if (--missing_[static_cast<std::size_t>(next)] == 0) become_ready(next, task);
  }
}

void Simulation::release_semaphores(TaskId task) {
  for (const TaskGraph::SemaphoreUse& use : graph_.releases(task)) {
    const auto semaphore = static_cast<std::size_t>(use.semaphore);
    semaphores_[semaphore].give_back(use.tokens, task);
    mark(semaphores_, semaphores_to_serve_, semaphore);
  }
}

void Simulation::reallocate() {
  fluid_.reallocate(now_);
  if (observers_.empty()) return;
  for (const std::uint32_t resource : fluid_.reallocated()) {
    for (Observer* observer : observers_) {
      observer->on_load(static_cast<ResourceId>(resource), now_, fluid_.load(resource));
    }
  }
}

void Simulation::check_finished() const {
  if (ended_ == graph_.size()) return;
  for (std::size_t i = 0; i < semaphores_.size(); ++i) {
    if (!semaphores_[i].is_waiting()) continue;
    const TaskId task = semaphores_[i].first().task;
    throw Error(ExitCode::kInternal,
                "the simulation stalled: task " + std::to_string(static_cast<std::uint32_t>(task)) +
                    " (" + graph_.name(task) + ") waits for tokens of semaphore " +
                    platform_.semaphores()[i].name + " that no running task gives back");
  }
  PACELINE_ASSERT(false, "a graph without semaphores always finishes");
}

}  // namespace paceline
