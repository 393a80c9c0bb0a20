// A log of nccl-tests against the machine that the flags describe: check FILE.
#pragma once

#include <string>

#include "answers/check/finding.h"
#include "cli/arguments.h"

namespace paceline {

// `text` is the content of `file`. What the log does not say (ranks, machines) is that of --cluster
// or of the other flags; a run on part of the machine is held against that part. Throws InputError
// naming the flags that would help.
CheckResult check_collective_log(const Arguments& arguments, const std::string& text,
                                 const std::string& file);

}  // namespace paceline
