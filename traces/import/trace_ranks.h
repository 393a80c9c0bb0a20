// Which rank each file of a job is.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "traces/import/trace_events.h"

namespace paceline {

// Sorts the processes of a job by rank. A rank comes from the file, else from its name ("rank3" or
// "rank-3"), else counts up from `first` (0 if not given) in the order of the files. Throws
// InputError if two are the same, naming both files.
void order_by_rank(std::vector<TraceEvents>& processes,
                   const std::vector<std::filesystem::path>& files, std::optional<int> first);

}  // namespace paceline
