#include "simulator/engine/engine.h"

#include "simulator/engine/simulation.h"

namespace paceline {
namespace {

std::vector<TrackId> tracks_of(const TaskGraph& graph, const Platform& platform) {
  const auto none = static_cast<TrackId>(platform.resources().size());
  std::vector<TrackId> tracks(graph.size(), none);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskGraph::Record& record = graph.record(static_cast<TaskId>(i));
    if (record.resource != kNoResource) {
      tracks[i] = static_cast<TrackId>(record.resource);
    } else if (record.route != kNoRoute && !platform.route(record.route).uses.empty()) {
      tracks[i] = static_cast<TrackId>(platform.route(record.route).uses.front().resource);
    }
  }
  return tracks;
}

}  // namespace

Schedule schedule(const TaskGraph& graph, const Platform& platform,
                  std::span<Observer* const> observers) {
  return Simulation(graph, platform, observers).run();
}

Timeline simulate(const TaskGraph& graph, const Platform& platform,
                  std::span<Observer* const> observers) {
  Schedule done = schedule(graph, platform, observers);
  std::vector<std::string> names;
  for (const Platform::Resource& resource : platform.resources()) names.push_back(resource.name);
  names.emplace_back("(no resource)");
  Timeline::Columns columns;
  columns.start = std::move(done.start);
  columns.end = std::move(done.end);
  columns.cause = std::move(done.cause);
  columns.track = tracks_of(graph, platform);
  columns.label.assign(graph.labels().begin(), graph.labels().end());
  return Timeline(std::move(names), graph.names(), std::move(columns));
}

}  // namespace paceline
