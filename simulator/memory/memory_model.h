// How much memory a training job needs on one device, and the largest batch that fits: the one
// entry point for reports, `paceline memory` and plans.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simulator/memory/memory_policy.h"

namespace paceline {

struct MemoryRequest {
  std::string framework = "pytorch";
  MemorySetting setting;
  Bytes capacity;
  std::string architecture;  // of a GPU, for the size of its context: "volta"; empty on a CPU
};

struct MemoryResult {
  MemoryUse use;
  MemoryTape tape;
  std::vector<std::string> warnings;
};

class MemoryModel {
 public:
  MemoryModel();

  // Throws UsageError for a framework without a memory model.
  MemoryResult predict(const WorkloadGraph& graph, const MemoryRequest& request) const;

  const MemoryPolicyRegistry& policies() const { return policies_; }

 private:
  struct Context {
    std::int64_t bytes = 0;
    std::string source;
  };
  // Made once: a policy reads its framework's record. From any thread.
  const MemoryPolicy& policy(const std::string& framework) const;

  MemoryPolicyRegistry policies_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<const MemoryPolicy>> made_;
  std::map<std::string, Context> contexts_;
};

// Where the search for the largest batch ends.
inline constexpr std::int64_t kLargestBatchTried = 1 << 20;

// The largest batch from 1 to kLargestBatchTried whose `spare` bytes (capacity less peak) are not
// negative, with few questions, since memory grows about linearly with the batch: from `guess`
// along the line through the last two answers until the border lies between two batches, then by
// that line inside, halving where it does not help. None if not even one sample fits. Where spare
// memory does not fall with every step, a border: the batch fits, the next one does not.
std::optional<std::int64_t> largest_that_fits(
    std::int64_t guess, const std::function<std::int64_t(std::int64_t)>& spare);

// For people: the number; "1048576 or more" where the search ended before it found a border.
std::string batch_found_text(std::int64_t batch);

// Bytes per parameter of an optimizer (model/plan/optimizer.h), at a precision; `uniform`: weights
// themselves are 16-bit, with an fp32 copy in the optimizer.
ModelStateSizes model_state(std::string_view optimizer, Precision precision, bool uniform = false);

}  // namespace paceline
