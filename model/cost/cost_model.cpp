#include "model/cost/cost_model.h"

#include <array>

namespace paceline {

std::string_view to_string(Bound bound) {
  constexpr std::array<std::string_view, 3> kNames = {"compute", "memory", "latency"};
  return kNames[static_cast<std::size_t>(bound)];
}

std::string_view to_string(OriginKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"measured", "fitted", "data sheet",
                                                      "extrapolated"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace paceline
