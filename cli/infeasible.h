// What a command answers if nothing that it was asked for can be run: the answer all the same, exit
// code 5, and the reason in one line on stderr.
//
//   paceline: infeasible: needs 110 GB of the 17.2 GB of v100-sxm2-16g (paceline memory: what fits)
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/error.h"
#include "model/plan/report.h"

namespace paceline {

// kOk if at least one of the reports fits in memory.
ExitCode check_memory(const std::vector<Report>& reports, std::ostream& errors);
// kInfeasible, with the reason.
ExitCode infeasible(const std::string& reason, std::ostream& errors);

}  // namespace paceline
