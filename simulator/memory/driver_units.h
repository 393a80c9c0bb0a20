// The sizes in which a GPU's driver gives memory away (cudaMalloc); data with a source, in
// model/catalog/memory/contexts.json. By default requests as they are.
#pragma once

#include <cstdint>

namespace paceline {

struct DriverUnits {
  // Requests of up to so many bytes share chunks, in multiples of `granularity`.
  std::int64_t shared_up_to = 0;
  std::int64_t granularity = 1;
  std::int64_t chunk = 0;
  // Larger ones take multiples of this.
  std::int64_t unit = 1;
};

}  // namespace paceline
