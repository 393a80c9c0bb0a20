// A validation on a terminal: what validation_text.h says, in at most kScreenColumns columns, and,
// unless all of it is asked for, in kScreenRows rows. Names that are longer lose their middle;
// --json,
// --csv and --md have them whole.
#pragma once

#include <string>

#include "validation/harness/score.h"

namespace paceline {

// Cases (times in ms), sets (errors in per cent), then what is wrong with either; of more than
// three sets, sets alone.
std::string validation_screen(const Validation& validation, bool all);

}  // namespace paceline
