// A table of measured rates by number of devices, or of iteration times by rank, as CSV.
//
//   gpus,gpus_per_node,metric,value        rank,iteration_s
//   8,8,samples/s,1531.9                   0,0.212
//   16,8,samples/s,546.9                   1,0.347
//
// Instead of metric and value, one column named samples_per_s, tokens_per_s, iterations_per_s or
// iteration_s will do. Other columns are ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answers/check/scaling_check.h"

namespace paceline {

struct MeasuredTable {
  std::vector<ScalingPoint> points;  // one of the two is empty
  std::vector<RankTime> ranks;
};

// Whether the text is such a table, by its first line.
bool is_measured_table(std::string_view text);
// Throws InputError with file and line on a missing column, a short row, and a value that is not a
// positive number.
MeasuredTable read_measured_table(std::string_view text, const std::string& name);

}  // namespace paceline
