// --html FILE: a report for people who have no terminal.
#pragma once

#include "answers/html/html_page.h"
#include "cli/command.h"
#include "simulator/report/prediction.h"

namespace paceline {

FlagSpec html_flag();
// Throws InputError if the file cannot be written or the parts of the page are not installed.
void write_html(const Arguments& arguments, const PageContent& content);
// Of one prediction: with its timeline, kernels and sensitivities.
void write_html(const Arguments& arguments, const Prediction& prediction);

}  // namespace paceline
