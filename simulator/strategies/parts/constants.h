// Numbers of aggregation mechanisms that are neither structure nor options: each with its source in
// model/catalog/strategies/constants.json.
#pragma once

#include <string>
#include <string_view>

namespace paceline {

// In SI units. Throws InputError if the file has no such constant.
double strategy_constant(std::string_view name);
std::string strategy_constant_source(std::string_view name);

}  // namespace paceline
