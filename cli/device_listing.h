// The catalog of devices for `paceline list devices`: every data-sheet field with its source and,
// for GPUs, where the parameters of each kernel family come from.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace paceline {

// One object per device: name, summary, ..., "facts", "conflicts", "kernels".
nlohmann::ordered_json list_devices();

}  // namespace paceline
