// How much memory a training job needs on one device, and the largest batch that fits: the one
// entry point for reports, `paceline memory` and plans.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simulator/memory/contexts.h"
#include "simulator/memory/memory_policy.h"
#include "simulator/memory/memory_residuals.h"

namespace paceline {

struct MemoryRequest {
  std::string framework = "pytorch";
  MemorySetting setting;
  Bytes capacity;
  std::string capacity_source;  // of a GPU: what of its memory a process can use; empty: not said
  std::string architecture;     // of a GPU, for the size of its context: "volta"; empty on a CPU
};

struct MemoryResult {
  MemoryUse use;
  MemoryTape tape;
  std::vector<std::string> warnings;
};

class MemoryModel {
 public:
  MemoryModel();

  // Throws UsageError for a framework without a memory model. The 95 % quantile of a peak ends at
  // the capacity where the allocator would give back what is beyond.
  MemoryResult predict(const WorkloadGraph& graph, const MemoryRequest& request) const;

  const MemoryPolicyRegistry& policies() const { return policies_; }
  // Of a GPU; that of no known architecture is zero and may be anything.
  GpuContext context(const std::string& architecture) const;

 private:
  // Made once: a policy reads its framework's record. From any thread.
  const MemoryPolicy& policy(const std::string& framework) const;

  MemoryPolicyRegistry policies_;
  ContextCatalog contexts_;
  MemoryResiduals residuals_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<const MemoryPolicy>> made_;
};

// Where the search for the largest batch ends.
inline constexpr std::int64_t kLargestBatchTried = 1 << 20;

// The largest batch from 1 to kLargestBatchTried such that it and every smaller one that was asked
// about fit, and the next one does not: `spare` (capacity less peak, in bytes) is not negative.
// None if not even one sample fits. Which batches are asked about follows from the answers alone,
// so that there is one result per experiment even where spare memory does not fall with every step
// and several batches are borders. Few questions, since memory grows about linearly with the batch:
// two fixed batches, then along the line through the last two answers until one does not fit, then
// along the line inside, halving where it does not help.
std::optional<std::int64_t> largest_that_fits(
    const std::function<std::int64_t(std::int64_t)>& spare);

// The largest batch from `border`, which fits or is 0, to `most` that fits, wherever memory falls
// back between them. Asks about all of them, from the top, if they are kAskedAbove or fewer; else
// about every `step`-th down from `most`, and then for a border above the first that fits.
inline constexpr std::int64_t kAskedAbove = 32;
struct BatchAbove {
  std::int64_t batch = 0;
  std::int64_t step = 1;  // 1: no larger one up to `most` fits
};
BatchAbove largest_above(std::int64_t border, std::int64_t most,
                         const std::function<bool(std::int64_t)>& fits);

// For people: the number; "1048576 or more" where the search ended before it found a border.
std::string batch_found_text(std::int64_t batch);

// Bytes per parameter of an optimizer (model/plan/optimizer.h), at a precision; `uniform`: weights
// themselves are 16-bit, with an fp32 copy in the optimizer.
ModelStateSizes model_state(std::string_view optimizer, Precision precision, bool uniform = false);

}  // namespace paceline
