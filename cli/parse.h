// The command line: from argv to the subcommand to run and its arguments.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace paceline {

struct Invocation {
  const Command* command = nullptr;
  Arguments arguments;
};

// Throws UsageError, naming the nearest valid command or flag, for anything that is not understood:
// unknown and repeated flags, missing values, arguments too many. Nothing when the user asked for
// help or the version, which is then printed to `out`; results of the command go there too.
std::optional<Invocation> parse_command_line(const CommandList& commands,
                                             const std::vector<std::string>& argv,
                                             std::ostream& out);

}  // namespace paceline
