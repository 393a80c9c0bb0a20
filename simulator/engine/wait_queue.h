// Tasks waiting for a place of a queued resource or for tokens of a semaphore. The one of higher
// priority is served first, then the one that was ready earlier, then the one added earlier.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulator/engine/observer.h"

namespace paceline {

class WaitQueue {
 public:
  struct Entry {
    Wait wait;       // so far
    SimTime joined;  // when it came to this queue
    TaskId task{};
    std::int16_t priority = 0;
    std::int32_t amount = 1;  // places or tokens
  };

  // `available` places or tokens.
  explicit WaitQueue(int available) : available_(available) {}

  void join(const Entry& entry) {
    waiting_.push_back(entry);
    std::push_heap(waiting_.begin(), waiting_.end(), is_after);
  }
  bool is_waiting() const { return !waiting_.empty(); }
  // Nobody overtakes the first in line, however little they need.
  bool can_serve() const { return is_waiting() && waiting_.front().amount <= available_; }
  // Takes what the first in line needs.
  Entry serve() {
    std::pop_heap(waiting_.begin(), waiting_.end(), is_after);
    const Entry entry = waiting_.back();
    waiting_.pop_back();
    available_ -= entry.amount;
    return entry;
  }
  void give_back(int amount, TaskId by) {
    available_ += amount;
    last_giver_ = by;
  }
  // Whose end made the latest places or tokens available.
  TaskId last_giver() const { return last_giver_; }
  const Entry& first() const { return waiting_.front(); }

  bool needs_dispatch = false;  // already on the engine's list

 private:
  static bool is_after(const Entry& a, const Entry& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    if (a.wait.ready != b.wait.ready) return a.wait.ready > b.wait.ready;
    return a.task > b.task;
  }

  std::vector<Entry> waiting_;
  std::int64_t available_;
  TaskId last_giver_{0xffffffff};
};

}  // namespace paceline
