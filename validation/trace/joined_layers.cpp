#include "validation/trace/joined_layers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "simulator/job/compute_profile.h"

namespace paceline {
namespace {

bool is_cut_at_gradients(const IterationPlan& plan, const std::vector<ComparedLayer>& rows) {
  std::set<std::string_view> with_gradients;
  for (const GradientTensor& gradient : plan.gradients) {
    with_gradients.insert(plan.layers.at(gradient.layer));
  }
  return !with_gradients.empty() && std::ranges::all_of(rows, [&](const ComparedLayer& row) {
    return row.matched() == with_gradients.contains(row.layer);
  });
}

// What the job simulates of each layer, by name: its spans, alone on the device.
std::map<std::string_view, LayerTime> segment_times(const IterationPlan& plan,
                                                    const ComputeProfile& profile) {
  std::map<std::string_view, LayerTime> out;
  const auto times = static_cast<double>(profile.micro_batches);
  for (const ComputeSegment& segment : profile.forward) {
    LayerTime& layer = out[plan.layers.at(segment.layer)];
    layer.forward = layer.forward + times * segment.time;
  }
  for (const ComputeSegment& segment : profile.backward) {
    LayerTime& layer = out[plan.layers.at(segment.layer)];
    layer.backward = layer.backward + times * segment.time;
  }
  return out;
}

}  // namespace

std::size_t join_layers_of_job(const IterationPlan& plan, std::vector<ComparedLayer>& rows) {
  if (!is_cut_at_gradients(plan, rows)) return 0;
  const ComputeProfile profile = compute_profile(plan);
  const auto times = segment_times(plan, profile);
  const std::size_t joined =
      std::erase_if(rows, [](const ComparedLayer& row) { return !row.matched(); });
  for (ComparedLayer& row : rows) {
    const auto found = times.find(row.layer);
    row.predicted = found == times.end() ? LayerTime{} : found->second;
  }
  return joined;
}

}  // namespace paceline
