// The parameters of gpu.gemm/4 in the order of a fit's values; what each does stands in the
// equations of gpu_tiles.h and gpu_gemm.h.
#pragma once

#include <array>

#include "model/formula/time_parts.h"

namespace paceline::formula {

struct GpuGemmParameters {
  enum {
    kLaunch,
    kComputeShare,
    kFeed,
    kPrologue,
    kWave,
    kSplitCost,
    kOverlap,
    kSaturation,
    kMemoryShare,
    kCacheFit,
    kCacheRate,
    kLayoutNn,
    kLayoutNt,
    kUnaligned,
    kCount
  };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"launch", "s"},
      {"compute_share", "1"},
      {"feed", "1"},
      {"prologue", "1"},
      {"wave", "1", Domain::kFraction},
      {"split_cost", "s"},
      {"overlap", "1"},
      {"saturation", "1"},
      {"memory_share", "1"},
      {"cache_fit", "1"},
      {"cache_rate", "B"},
      {"layout_nn", "1", Domain::kReal},
      {"layout_nt", "1", Domain::kReal},
      {"unaligned", "1", Domain::kReal},
  }};
};

}  // namespace paceline::formula
