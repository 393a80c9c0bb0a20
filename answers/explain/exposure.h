// Communication that compute does not hide, by the link or queue it runs on; and what the critical
// path of an iteration consists of.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/table.h"
#include "traces/timeline/timeline.h"

namespace paceline {

struct TrackExposure {
  std::string track;  // "gpu0/communication"
  Seconds busy;       // while a message ran
  Seconds exposed;    // of it, while no kernel ran on any device of the timeline
};

// Of the last iteration of the timeline; tracks without messages are left out, the most exposed
// first. An instant at which several tracks are exposed counts for each in equal parts, so that the
// sum is the exposed time of the iteration.
std::vector<TrackExposure> exposed_communication(const Timeline& timeline);

struct PathPart {
  std::string what;  // "backward on gpu0/compute"
  Seconds time;
  double share = 0;  // of the path
};
// The chain of spans that decided the duration of all iterations of the timeline, by kind and
// track, the longest first.
std::vector<PathPart> critical_path_parts(const Timeline& timeline);

// "collectives of rank 0" for "rank0/communication"; links have names of their own.
std::string readable_track(const std::string& track);
Table exposure_table(const std::vector<TrackExposure>& tracks, Seconds iteration);
Table path_table(const std::vector<PathPart>& parts, int iterations);
nlohmann::ordered_json to_json(const std::vector<TrackExposure>& tracks);
nlohmann::ordered_json to_json(const std::vector<PathPart>& parts);

}  // namespace paceline
