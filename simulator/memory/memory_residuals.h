// How far predicted memory was from measured: what the interval of a peak is made of, beside that
// of the context. Measured totals of validation/memory/sets, written by
// paceline_fit_memory_residuals to calibration/fitted/memory/residuals.json; a set is judged by the
// others alone. docs/models/memory.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/cost/cost_model.h"
#include "model/hardware/device_spec.h"
#include "model/plan/memory_use.h"
#include "simulator/memory/contexts.h"

namespace paceline {

// ln(measured / predicted) of the totals of one set, of one family of policies on one kind of
// device.
struct SetResiduals {
  std::string set;
  std::string source;
  std::string family;  // MemoryPolicy::family()
  DeviceKind device = DeviceKind::kGpu;
  std::vector<double> errors;
};

// Measured is within exp(-width) and exp(width) times the prediction, nine times of ten.
struct MemorySpread {
  double width = 0;
  OriginKind kind = OriginKind::kFitted;  // extrapolated: nothing of that family was measured
  std::string source;
};

class MemoryResiduals {
 public:
  explicit MemoryResiduals(std::vector<SetResiduals> sets);
  // Throws InputError.
  static MemoryResiduals load(const std::filesystem::path& file, std::string_view without = {});
  static MemoryResiduals shipped(std::string_view without = {});

  // The narrowest width that holds nine tenths of the measurements, each set counting once: of all
  // sets on GPUs, and of the family's own there, whichever is wider; times factor(). On a CPU of
  // the family's sets there alone, if it has some.
  MemorySpread of(std::string_view family, DeviceKind device) const;
  // The least factor, 1 or more, with which widths from the other sets hold nine tenths of the
  // measurements of a set on GPUs, on average over sets.
  double factor() const { return factor_; }

 private:
  std::vector<SetResiduals> sets_;
  double factor_ = 1;
};

// Sets `below` and `above`: tensors, buffers and slack are as far off as `spread` says, the context
// and the library of collectives as their own ranges, and the three have nothing to do with each
// other.
struct LibraryRange {
  std::int64_t below = 0, above = 0;
};
void set_interval(const MemorySpread& spread, const GpuContext& context,
                  const LibraryRange& library, MemoryUse& use);
// On a CPU: what the process may hold beside its tensors is above the peak, which leaves it out.
void add_process(const ProcessOverhead& process, MemoryUse& use);

}  // namespace paceline
