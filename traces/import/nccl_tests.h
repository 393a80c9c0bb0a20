// Reads the output of nccl-tests (github.com/NVIDIA/nccl-tests): the text table of any version, and
// the JSON of its -J option.
#pragma once

#include "traces/import/collective_text.h"

namespace paceline {

// Out-of-place and in-place times of every size above zero. `name` stands for the file in messages.
// The operation is that of the "Collective test starting" line if there is one, else of the
// options. Throws InputError with the line if a row is short or a time is not a positive number, if
// the table has no end ("Avg bus bandwidth": a truncated run), no rows, or ranks are not known.
MeasurementSet import_nccl_tests(std::string_view text, const std::string& name,
                                 const CollectiveImportOptions& options);

}  // namespace paceline
