// paceline calibrate --recipe NAME --data DIR: a fit that ships with Paceline is repeated from the
// published timings it rests on, and compared with what is shipped.
//
//   file                  fit                 held out  mean error  median  90 % below  from
//   shipped gpu/t4.json           gpu.stream.softmax        43       4.7 %   4.4 %       9.2 %
//   2e-10
//   ...
//   largest difference from the shipped parameters: 3e-09, in 24 files
#pragma once

#include "cli/arguments.h"
#include "core/error.h"

namespace paceline {

// Throws UsageError for an unknown recipe, with the nearest names, and for flags that belong to
// measurements of one's own; InputError if the data are not there.
ExitCode calibrate_recipe(const Arguments& arguments);

}  // namespace paceline
