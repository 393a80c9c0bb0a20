// Text for a terminal: messages may quote names from files and flags that hold anything.
#pragma once

#include <string>
#include <string_view>

namespace paceline {

// `text` in one line: newlines, carriage returns and tabs become spaces, other control characters
// their code, as \x1b, so that no message can move the cursor or change colours.
std::string one_line(std::string_view text);

}  // namespace paceline
