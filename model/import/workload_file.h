// Reads a network written down in our own format, paceline.workload/1 (docs/workload-format.md):
// inputs, then operations in forward order. In shapes, "batch" and "seq" stand for the values
// chosen on the command line.
#pragma once

#include <string_view>

#include "model/import/imported_model.h"

namespace paceline {

// Throws InputError naming file and field. Operations are read when the network is built, with the
// batch and sequence asked for, and what is wrong with them is thrown then.
ImportedModel import_workload_file(std::string_view text, const std::string& file);

}  // namespace paceline
