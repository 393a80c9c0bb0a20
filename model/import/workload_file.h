// Reads a network written down in our own format, paceline.workload/1 (docs/workload-format.md):
// inputs, then operations in forward order. In shapes, "batch" and "seq" stand for the values
// chosen on the command line.
#pragma once

#include <string_view>

#include "model/import/imported_model.h"

namespace paceline {

// Throws InputError naming file and field. The network is built once here, at batch 1 and the
// file's own sequence, so that shapes that do not fit are refused when the file is read.
ImportedModel import_workload_file(std::string_view text, const std::string& file);

}  // namespace paceline
