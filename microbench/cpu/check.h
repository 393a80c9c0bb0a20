// Comparing a kernel's result with a plain reference.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace paceline {

// Throws MeasurementError naming `what` unless |found - expected| <= tolerance * (scale +
// |expected|); `scale` is the magnitude of the terms that were summed, e.g. sqrt(k) for a product
// of k normal values.
void require_close(const std::string& what, double found, double expected, double scale = 1,
                   double tolerance = 1e-4);

// `count` indices spread over 0 .. size-1, both ends included.
std::vector<std::size_t> spread_indices(std::size_t size, std::size_t count);

}  // namespace paceline
