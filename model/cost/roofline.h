// The data-sheet roofline: no fitted number, the null model every prediction must beat.
//
//   t = max(FLOP / peak, bytes / bandwidth)
//
// Williams, Waterman and Patterson, CACM 52(4), 2009.
#pragma once

#include <map>
#include <string>

#include "model/cost/cost_model.h"

namespace paceline {

struct RooflineLimits {
  std::map<Precision, FlopsPerSecond> peak;  // of all cores together
  BytesPerSecond bandwidth;                  // of the memory, read and write together
  int cores = 0;  // with fewer threads than cores the peak is that of the threads; 0: no threads
  std::string source;
};

class RooflineCostModel : public CostModel {
 public:
  explicit RooflineCostModel(RooflineLimits limits);
  // Throws MissingParameter if no peak is known for the kernel's precision.
  KernelCost cost(const Kernel& kernel, const ExecutionContext& context) const override;

 private:
  RooflineLimits limits_;
};

}  // namespace paceline
