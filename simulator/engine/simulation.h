// One run of the engine: the state behind schedule().
#pragma once

#include <span>
#include <vector>

#include "simulator/engine/engine.h"
#include "simulator/engine/event_queue.h"
#include "simulator/engine/fluid.h"
#include "simulator/engine/wait_queue.h"

namespace paceline {

class Simulation {
 public:
  Simulation(const TaskGraph& graph, const Platform& platform,
             std::span<Observer* const> observers);
  Schedule run();

 private:
  // All that ends at one instant is processed before anything waiting is served, so that ties are
  // decided by priority and not by the order of processing.
  void process_instant();
  void process_event(TaskId task);
  bool serve_waiting();

  void become_ready(TaskId task, TaskId blocker);
  // Takes the semaphores of `acquires(task)` from index `next` on, then a place, then starts.
  void proceed(WaitQueue::Entry entry, std::size_t next);
  void serve_semaphore(std::uint32_t semaphore);
  void serve_places(std::uint32_t resource);
  void check_clock() const;
  void start(TaskId task, const Wait& wait);
  void begin_flow(TaskId task);
  void end(TaskId task);
  void release_semaphores(TaskId task);
  void reallocate();
  void check_finished() const;

  void mark(std::vector<WaitQueue>& queues, std::vector<std::uint32_t>& list, std::size_t index) {
    WaitQueue& queue = queues[index];
    if (queue.needs_dispatch || !queue.is_waiting()) return;
    queue.needs_dispatch = true;
    list.push_back(static_cast<std::uint32_t>(index));
  }

  const TaskGraph& graph_;
  const Platform& platform_;
  std::span<Observer* const> observers_;

  SimTime now_;
  Schedule schedule_;
  std::size_t ended_ = 0;
  std::vector<std::uint32_t> missing_;  // predecessors that have not ended, by task
  EventQueue events_;
  Fluid fluid_;
  std::vector<WaitQueue> places_;      // by resource
  std::vector<WaitQueue> semaphores_;  // by semaphore
  std::vector<std::uint32_t> places_to_serve_;
  std::vector<std::uint32_t> semaphores_to_serve_;
  std::vector<TaskId> batch_;
};

}  // namespace paceline
