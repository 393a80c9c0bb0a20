// Which shapes a fit may see: the quarter with the smallest hashes is held out, so that a shape is
// on one side at every thread count and in every run, whatever the order of the file, and a shape
// keeps its side when few others are added.
#pragma once

#include <set>
#include <string>

namespace paceline {

// A quarter of `shapes`, rounded down; none of fewer than four. FNV-1a hash (Fowler, Noll, Vo).
std::set<std::string> held_out_shapes(const std::set<std::string>& shapes);

}  // namespace paceline
