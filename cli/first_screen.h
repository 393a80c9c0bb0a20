// What a command says before anybody asks for more (core/screen_text.h), and how to ask.
#pragma once

#include <string>

#include "cli/command.h"

namespace paceline {

// --all: what a first screen leaves out; `what` says what that is.
FlagSpec all_flag(std::string what);
// Whether --all is given. Throws UsageError with a format that has everything anyhow.
bool wants_all(const Arguments& arguments);

}  // namespace paceline
