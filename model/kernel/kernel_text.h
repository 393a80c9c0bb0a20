// A kernel's shape as people say it.
#pragma once

#include <string>

#include "model/kernel/kernel.h"

namespace paceline {

// As to_string, but a stream over rows by how many they are: "stream 4096 rows of 1000", and
// "stream 4100 in rows of 1000" where its elements fill no whole rows. to_string has the elements
// of all rows in that place, as the shapes in parameter files do (ParameterSet::fitted_shapes).
std::string readable_text(const KernelShape& shape);

}  // namespace paceline
