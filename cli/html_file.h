// --html FILE: a report for people who have no terminal.
#pragma once

#include "answers/html/html_page.h"
#include "cli/command.h"
#include "cli/run_sweep.h"

namespace paceline {

FlagSpec html_flag();
// One prediction with its timeline, kernels and sensitivities, or a sweep with its curves. Throws
// InputError if the file cannot be written or the parts of the page are not installed.
void write_html(const Arguments& arguments, SweepResult& sweep);

}  // namespace paceline
