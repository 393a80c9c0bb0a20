// Completion of commands, flags and catalog names for shells, made from the definitions of the
// commands.
#pragma once

#include <string>

#include "cli/command.h"

namespace paceline {

// `shell` is bash, zsh or fish; throws UsageError for others.
std::string completion_script(const std::string& shell, const CommandList& commands);

}  // namespace paceline
