// paceline(1), made from the definitions of the commands.
#pragma once

#include <string>

#include "cli/command.h"

namespace paceline {

// In man(7) macros.
std::string man_page(const CommandList& commands);

}  // namespace paceline
