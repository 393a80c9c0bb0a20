// The constants of what a power limit does to the clock (model/formula/power_limit.h), as the
// catalog states them: "paceline.power-law/1".
#pragma once

#include <filesystem>

#include "model/formula/power_limit.h"

namespace paceline {

// Throws InputError for shares that are not below 1 or have no source.
formula::PowerLaw read_power_law(const std::filesystem::path& file);
// The one that paceline ships (model/catalog/power/clock.json).
formula::PowerLaw shipped_power_law();

}  // namespace paceline
