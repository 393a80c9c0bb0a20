// The parameters of cpu.gemm/1 in the order of a fit's values; what each does stands in the
// equation of cpu_gemm.h.
#pragma once

#include <array>

#include "model/formula/time_parts.h"

namespace paceline::formula {

struct CpuGemmParameters {
  enum {
    kCall,
    kColdCall,
    kFork,
    kFlopRate,
    kTileM,
    kTileN,
    kTileK,
    kEdgeM,
    kEdgeN,
    kEdgeK,
    kMoveA,
    kMoveB,
    kMoveC,
    kRevisitC,
    kDepth,
    kTransA,
    kTransB,
    kFarIn,
    kFarOut,
    kCapacity,
    kSharpness,
    kContention,
    kMemoryContention,
    kOutContention,
    kGrain,
    kDirectLimit,
    kDirect,
    kDirectTransA,
    kCount
  };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"call", "s"},
      {"cold_call", "s"},
      {"fork", "s"},
      {"flop_rate", "FLOP/s"},
      {"tile_m", "1"},
      {"tile_n", "1"},
      {"tile_k", "1"},
      {"edge_m", "1"},
      {"edge_n", "1"},
      {"edge_k", "1"},
      {"move_a", "s/B"},
      {"move_b", "s/B"},
      {"move_c", "s/B"},
      {"revisit_c", "s/B"},
      {"depth", "1"},
      {"trans_a", "1", Domain::kReal},
      {"trans_b", "1", Domain::kReal},
      {"far_in", "s/B"},
      {"far_out", "s/B"},
      {"cache_capacity", "B"},
      {"cache_sharpness", "1"},
      {"contention", "1", Domain::kFraction},
      {"memory_contention", "1", Domain::kFraction},
      {"out_contention", "1", Domain::kFraction},
      {"grain", "FLOP"},
      {"direct_limit", "FLOP"},
      {"direct", "1", Domain::kReal},
      {"direct_trans_a", "1", Domain::kReal},
  }};
};

}  // namespace paceline::formula
