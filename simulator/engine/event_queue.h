// The engine's agenda: which tasks have an event at which instant. Training is full of ties (every
// rank ends a layer at the same instant), so all events of one instant share one heap entry.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/sim_time.h"
#include "simulator/task/task.h"

namespace paceline {

class EventQueue {
 public:
  // For tasks 0 .. tasks-1, each with at most one event pending.
  explicit EventQueue(std::size_t tasks) : next_(tasks) { recent_.fill({}); }

  bool empty() const { return heap_.empty(); }
  SimTime next_time() const { return SimTime::from_picoseconds(heap_.front().time); }

  void push(SimTime when, TaskId task) {
    const std::int64_t time = when.picoseconds();
    const auto id = static_cast<std::uint32_t>(task);
    Recent& recent = recent_of(time);
    next_[id] = kNone;
    if (recent.time == time) {
      next_[buckets_[recent.bucket].last] = id;
      buckets_[recent.bucket].last = id;
      return;
    }
    recent = {time, new_bucket(id)};
    sift_up({time, recent.bucket});
  }

  // Appends every task with an event at next_time() to `tasks`, in order of task id.
  void pop_instant(std::vector<TaskId>& tasks);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::size_t kRecent = 1024;
  struct Entry {
    std::int64_t time;
    std::uint32_t bucket;
  };
  struct Bucket {
    std::uint32_t first;
    std::uint32_t last;
  };
  // Where events of a recently used instant go; a forgotten instant just gets a second bucket.
  struct Recent {
    std::int64_t time = -1;
    std::uint32_t bucket = 0;
  };

  Recent& recent_of(std::int64_t time) {
    const auto mixed = static_cast<std::uint64_t>(time) * 0x9e3779b97f4a7c15u;
    return recent_[mixed >> 54];
  }
  std::uint32_t new_bucket(std::uint32_t task);
  void sift_up(Entry entry);
  void pop_heap();

  std::vector<std::uint32_t> next_;  // of the same bucket, by task
  std::vector<Entry> heap_;          // four children a node, least time in front
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> free_buckets_;
  std::array<Recent, kRecent> recent_;
};

}  // namespace paceline
