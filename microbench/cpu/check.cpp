#include "microbench/cpu/check.h"

#include <cmath>

#include "core/error.h"
#include "core/units_text.h"

namespace paceline {

void require_close(const std::string& what, double found, double expected, double scale,
                   double tolerance) {
  // Written so that a NaN fails.
  if (std::abs(found - expected) <= tolerance * (scale + std::abs(expected))) return;
  throw MeasurementError("wrong result: " + what + " is " + significant(found, 6) + ", expected " +
                         significant(expected, 6));
}

std::vector<std::size_t> spread_indices(std::size_t size, std::size_t count) {
  std::vector<std::size_t> out;
  if (size == 0 || count == 0) return out;
  if (count == 1 || size == 1) return {0};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = i * (size - 1) / (count - 1);
    if (out.empty() || out.back() != index) out.push_back(index);
  }
  return out;
}

}  // namespace paceline
