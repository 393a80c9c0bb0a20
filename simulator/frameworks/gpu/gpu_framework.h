// A framework whose execution on a GPU is all in its record: most frameworks are one of these, in a
// file that names the record.
#pragma once

#include <memory>
#include <string>

#include "simulator/frameworks/framework.h"

namespace paceline {

// Reads model/catalog/frameworks/<name>.json, which has a "gpu" object. Throws InputError.
std::unique_ptr<const Framework> make_gpu_framework(const std::string& name);

}  // namespace paceline
