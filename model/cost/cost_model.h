// What a kernel costs on a device when it runs alone.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "core/units.h"
#include "model/kernel/kernel.h"

namespace paceline {

enum class Bound { kCompute, kMemory, kLatency };
enum class OriginKind { kMeasured, kFitted, kDataSheet, kExtrapolated };
std::string_view to_string(Bound bound);
std::string_view to_string(OriginKind kind);

struct Origin {
  OriginKind kind = OriginKind::kFitted;
  std::string source;  // "fit openblas.sgemm of this machine, 2026-11-30"
};

struct KernelCost {
  Seconds time;
  // No run can take less, whatever the interval (model/cost/gpu_limits.h); 0 where nobody knows.
  Seconds least{};
  Bound bound = Bound::kLatency;
  // Standard deviation of ln(time) split by how it combines over an iteration: `shared_sd` is
  // common to all kernels of one family (parameter error, family bias), `own_sd` is independent.
  // A family is the kernels that one fit prices; empty: those of one implementation.
  std::string family;
  double shared_sd = 0;
  double own_sd = 0;
  // Share of shared_sd^2 that all families of the device have in common: what is true of a device
  // that was not measured itself (calibration/gpu/between_families.h).
  double common_share = 0;
  Origin origin;
};

struct DeviceSpec;

// Where a kernel runs, and what it may use there.
struct ExecutionContext {
  int threads = 1;
  // Facts of the device, for formulas in shares of its data-sheet peaks; may be null for a CPU.
  const DeviceSpec* device = nullptr;
  // Scratch memory that one kernel may take.
  Bytes workspace_limit = Bytes(std::numeric_limits<double>::infinity());
  // Bytes touched since the kernel's operands were last used: 0 if just now, so that its own
  // traffic decides what the caches still hold.
  Bytes reuse_distance = Bytes(0);
};

// One file per cost model (fitted parameters, data sheet only, ...).
class CostModel {
 public:
  virtual ~CostModel() = default;
  // Throws MissingParameter if the device has no parameters for this implementation.
  virtual KernelCost cost(const Kernel& kernel, const ExecutionContext& context) const = 0;
};

}  // namespace paceline
