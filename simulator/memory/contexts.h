// What a GPU's context and the libraries of a framework take before the first tensor, per
// architecture, and the sizes in which the driver gives memory away: data with a source
// (model/catalog/memory/contexts.json, "paceline.contexts/1").
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "model/cost/cost_model.h"
#include "simulator/memory/driver_units.h"

namespace paceline {

struct GpuContext {
  std::int64_t bytes = 0;
  // The least and the most that the sources of `bytes` allow.
  std::int64_t low = 0;
  std::int64_t high = 0;
  OriginKind kind = OriginKind::kMeasured;  // extrapolated: recalled, or of another architecture
  std::string source;
};

// What the process on a CPU may hold beside its live tensors, which are what is predicted.
struct ProcessOverhead {
  std::int64_t libraries = 0;
  double heap_share = 0;  // of the tensors, at most
  std::string source;
};

struct ContextCatalog {
  std::map<std::string, GpuContext> contexts;  // by architecture
  DriverUnits driver;
  ProcessOverhead process;

  // Of an architecture that is not listed: zero, up to the most of any.
  GpuContext unknown() const;

  // Throws InputError.
  static ContextCatalog load(const std::filesystem::path& file);
  static ContextCatalog shipped();
};

}  // namespace paceline
