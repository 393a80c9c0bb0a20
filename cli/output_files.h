// The files a command line asks to be written, looked at before the command runs: a mistake in one
// of them must not leave another one behind, nor replace what the command reads.
#pragma once

#include "cli/command.h"

namespace paceline {

// Throws UsageError for an empty name, for "-", for one file that is named twice, and for a file
// that the command line also names as an input; InputError for a file that cannot be written.
void check_output_files(const Command& command, const Arguments& arguments);

}  // namespace paceline
