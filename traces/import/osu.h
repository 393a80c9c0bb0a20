// Reads the output of the OSU micro-benchmarks (mvapich.cse.ohio-state.edu/benchmarks): latency of
// collectives and of point-to-point messages ("# Size  Avg Latency(us)"), and bandwidth
// ("# Size  Bandwidth (MB/s)").
#pragma once

#include "traces/import/collective_text.h"

namespace paceline {

// Times of every size. OSU prints no rank count: it must be given, except for point-to-point tests,
// which have two. Throws InputError with the line on anything else than rows of numbers below an
// OSU header.
MeasurementSet import_osu(std::string_view text, const std::string& name,
                          const CollectiveImportOptions& options);

}  // namespace paceline
