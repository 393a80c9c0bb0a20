// The program without its process: from a command line to output, a line of error, and an exit
// code. The only place that catches.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/error.h"

namespace paceline {

// `argv` holds the program's name first. Results go to `out`; an error is one line on `errors`.
ExitCode run_program(const std::vector<std::string>& argv, std::ostream& out, std::ostream& errors);

}  // namespace paceline
