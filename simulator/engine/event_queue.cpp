#include "simulator/engine/event_queue.h"

#include <algorithm>

namespace paceline {
namespace {
// Four children share a cache line and halve the depth of a binary heap.
constexpr std::size_t kChildren = 4;
}  // namespace

std::uint32_t EventQueue::new_bucket(std::uint32_t task) {
  if (free_buckets_.empty()) {
    buckets_.push_back({task, task});
    return static_cast<std::uint32_t>(buckets_.size() - 1);
  }
  const std::uint32_t bucket = free_buckets_.back();
  free_buckets_.pop_back();
  buckets_[bucket] = {task, task};
  return bucket;
}

void EventQueue::sift_up(Entry entry) {
  std::size_t at = heap_.size();
  heap_.push_back(entry);
  while (at > 0) {
    const std::size_t parent = (at - 1) / kChildren;
    if (heap_[parent].time <= entry.time) break;
    heap_[at] = heap_[parent];
    at = parent;
  }
  heap_[at] = entry;
}

void EventQueue::pop_heap() {
  const Entry entry = heap_.back();
  heap_.pop_back();
  const std::size_t size = heap_.size();
  if (size == 0) return;
  std::size_t at = 0;
  while (true) {
    const std::size_t first = at * kChildren + 1;
    if (first >= size) break;
    std::size_t least = first;
    const std::size_t last = std::min(first + kChildren, size);
    for (std::size_t child = first + 1; child < last; ++child) {
      least = heap_[child].time < heap_[least].time ? child : least;
    }
    if (heap_[least].time >= entry.time) break;
    heap_[at] = heap_[least];
    at = least;
  }
  heap_[at] = entry;
}

void EventQueue::pop_instant(std::vector<TaskId>& tasks) {
  const std::size_t before = tasks.size();
  const std::int64_t time = heap_.front().time;
  while (!heap_.empty() && heap_.front().time == time) {
    const std::uint32_t bucket = heap_.front().bucket;
    for (std::uint32_t task = buckets_[bucket].first; task != kNone; task = next_[task]) {
      tasks.push_back(static_cast<TaskId>(task));
    }
    free_buckets_.push_back(bucket);
    pop_heap();
  }
  Recent& recent = recent_of(time);
  if (recent.time == time) recent = {};
  const auto first = tasks.begin() + static_cast<std::ptrdiff_t>(before);
  if (!std::is_sorted(first, tasks.end())) std::sort(first, tasks.end());
}

}  // namespace paceline
