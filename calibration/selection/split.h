// Which shapes a fit may see: a fixed quarter is held out, chosen by a hash of the shape's text, so
// that the same shape is on the same side on every machine, at every thread count, in every run.
#pragma once

#include <string_view>

namespace paceline {

// True for about one shape in four. FNV-1a hash (Fowler, Noll, Vo; draft-eastlake-fnv).
bool is_held_out(std::string_view shape_text);

}  // namespace paceline
