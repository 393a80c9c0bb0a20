#include <algorithm>
#include <functional>
#include <map>

#include "core/statistics.h"
#include "traces/timeline/measured_timeline.h"

namespace paceline {
namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;  // picoseconds
// One quantity in one iteration: where it was being worked on.
using Key = std::pair<std::int32_t, int>;  // what, iteration

double union_seconds(std::vector<Interval>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::int64_t total = 0, reached = std::numeric_limits<std::int64_t>::min();
  for (const auto& [start, end] : intervals) {
    if (end <= reached) continue;
    total += end - std::max(start, reached);
    reached = end;
  }
  return static_cast<double>(total) * 1e-12;
}

bool is_device_track(const std::string& name) { return name.find("gpu") != std::string::npos; }

// Spans of the first rank that are work: on a device, or on the host if there is none.
class Work {
 public:
  explicit Work(const MeasuredTimeline& measured) : timeline_(measured.timeline) {
    // Marks that are no work have no rank; a trace of one process may have none at all.
    bool has_work = false;
    for (const Label& label : timeline_.columns().label) {
      const bool is_work = label.layer >= 0 || label.kind != SpanKind::kOther;
      if (is_work && (!has_work || label.rank < first_rank_)) first_rank_ = label.rank;
      has_work = has_work || is_work;
    }
    for (const Label& label : timeline_.columns().label) {
      if (!has_work) first_rank_ = std::min(first_rank_, label.rank);
      last_iteration_ = std::max(last_iteration_, int{label.iteration});
    }
    for (std::size_t i = 0; i < timeline_.size(); ++i) {
      on_device_ = on_device_ || is_device_track(timeline_.track_name(timeline_.at(i).track));
    }
  }

  // Median seconds over the iterations of each `what`; negative ones are left out.
  std::map<std::int32_t, double> medians(
      const std::function<std::int32_t(const Label&)>& what) const {
    std::map<Key, std::vector<Interval>> intervals;
    for (std::size_t i = 0; i < timeline_.size(); ++i) {
      const Span span = timeline_.at(i);
      if (span.label.rank != first_rank_ || span.label.iteration < first_iteration()) continue;
      if (is_device_track(timeline_.track_name(span.track)) != on_device_) continue;
      const std::int32_t id = what(span.label);
      if (id < 0) continue;
      intervals[{id, span.label.iteration}].emplace_back(span.start.picoseconds(),
                                                         span.end.picoseconds());
    }
    std::map<std::int32_t, std::vector<double>> samples;
    for (auto& [key, list] : intervals) samples[key.first].push_back(union_seconds(list));
    std::map<std::int32_t, double> out;
    for (auto& [id, values] : samples) {
      // Iterations without it count as zero.
      values.resize(static_cast<std::size_t>(last_iteration_ - first_iteration() + 1));
      out[id] = median(values);
    }
    return out;
  }

 private:
  int first_iteration() const { return last_iteration_ >= 2 ? 1 : 0; }

  const Timeline& timeline_;
  std::int32_t first_rank_ = 0;
  int last_iteration_ = 0;
  bool on_device_ = false;
};

}  // namespace

std::vector<LayerTime> layer_times(const MeasuredTimeline& measured) {
  const Work work(measured);
  const auto of_phase = [&](SpanKind phase) {
    return work.medians([phase](const Label& label) {
      return label.kind == phase ? label.layer : std::int32_t{-1};
    });
  };
  std::vector<LayerTime> out(measured.layers.size());
  for (const auto& [layer, seconds] : of_phase(SpanKind::kForward)) {
    out.at(static_cast<std::size_t>(layer)).forward = Seconds(seconds);
  }
  for (const auto& [layer, seconds] : of_phase(SpanKind::kBackward)) {
    out.at(static_cast<std::size_t>(layer)).backward = Seconds(seconds);
  }
  return out;
}

OtherTimes other_times(const MeasuredTimeline& measured) {
  enum Part : std::int32_t { kOptimizer, kCommunication, kCopies, kUnattributed };
  const auto part = [](const Label& label) -> std::int32_t {
    switch (label.kind) {
      case SpanKind::kUpdate:
        return kOptimizer;
      case SpanKind::kCommunicate:
        return kCommunication;
      case SpanKind::kHostToDevice:
      case SpanKind::kDeviceToHost:
        return kCopies;
      case SpanKind::kHost:
      case SpanKind::kLoad:
        return -1;
      default:
        return label.layer < 0 ? kUnattributed : -1;
    }
  };
  const auto found = Work(measured).medians(part);
  const auto seconds = [&](Part which) {
    const auto at = found.find(which);
    return Seconds(at == found.end() ? 0.0 : at->second);
  };
  return {.optimizer = seconds(kOptimizer),
          .communication = seconds(kCommunication),
          .copies = seconds(kCopies),
          .unattributed = seconds(kUnattributed)};
}

}  // namespace paceline
