#include "simulator/engine/load_recorder.h"

namespace paceline {

void LoadRecorder::on_begin(const TaskGraph&, const Platform& platform) {
  recordings_.clear();
  for (const Platform::Resource& resource : platform.resources()) {
    recordings_.push_back({{resource.name, resource.unit, {}}, 0});
  }
}

void LoadRecorder::on_load(ResourceId resource, SimTime now, double used) {
  Recording& recording = recordings_[static_cast<std::size_t>(resource)];
  std::vector<Counter::Point>& points = recording.counter.points;
  if (!points.empty()) {
    // An unchanged load needs no point.
    if (points.back().value == used) return;
    recording.total += points.back().value * (now - points.back().time).seconds().si();
  }
  points.push_back({now, used});
}

std::vector<Counter> LoadRecorder::counters() const {
  std::vector<Counter> used;
  for (const Recording& recording : recordings_) {
    if (!recording.counter.points.empty()) used.push_back(recording.counter);
  }
  return used;
}

}  // namespace paceline
