// Counts what the process holds on the heap, exactly: linking allocation_counter.cpp replaces the
// global operator new and delete.
#pragma once

#include <cstddef>

namespace paceline {

// Most bytes held since the latest reset_peak_bytes().
std::size_t peak_bytes();
std::size_t held_bytes();
void reset_peak_bytes();

}  // namespace paceline
