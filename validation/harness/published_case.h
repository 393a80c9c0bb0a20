// A measurement somebody else has published: the experiment it was, the figure, and why it may not
// count. Facts only, with their source; the publication itself is not part of this project.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json_reader.h"
#include "core/units.h"
#include "model/plan/experiment.h"

namespace paceline {

struct PublishedCase {
  std::string name;
  Experiment experiment;
  Seconds measured;      // one iteration
  std::string excluded;  // why it is listed but not counted; empty if it counts
};

// The members "common" (optional) and "cases" of a set; keys are those of the "config" of a report
// (docs/file-formats.md). What a case says replaces what "common" says; options add up. A case has
// "measured_s" or "samples_per_s", of all devices together; "profile" is a file of the data folder.
// Throws InputError.
std::vector<PublishedCase> read_published_cases(JsonObject& set);

}  // namespace paceline
