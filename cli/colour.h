// Colour of text on a terminal: what warns and what is judged, nothing else.
#pragma once

#include <string>

#include "cli/arguments.h"

namespace paceline {

// Whether the result goes to a terminal, where somebody reads it.
bool is_on_terminal(const Arguments& arguments);
// --color always|never, else (auto): only if standard output is a terminal, the result goes there,
// and NO_COLOR (no-color.org) is not set. Throws UsageError for another value.
bool wants_colour(const Arguments& arguments);
// The same text with the words that begin a warning or a verdict coloured; text without escape
// sequences stays the same length on the screen.
std::string coloured(const std::string& text);

}  // namespace paceline
