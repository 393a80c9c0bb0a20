// A recording of one run from an imported profile of it: what `paceline validate --recording` holds
// predictions against when all there is is a profile.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "traces/recording/recording.h"
#include "traces/timeline/measured_timeline.h"

namespace paceline {

// One run with one round: the whole iterations of the profile, without the first where there are
// more than two. Phases are work of the device (of the host if there is none). A profiled iteration
// is a little slower than one that is not; the file says where it came from. `parameters` are those
// of the network, which no profile holds. Throws InputError if the profile marks no iterations.
nlohmann::ordered_json recording_from(const MeasuredTimeline& run,
                                      const RecordedExperiment& experiment,
                                      std::int64_t parameters);

}  // namespace paceline
