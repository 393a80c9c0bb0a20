// The tiles of the kernels that cuBLAS takes for batched matrix products in fp32 of which neither
// operand is transposed: what the names of published launches show (docs/models/gpu-gemm.md).
#pragma once

#include <span>
#include <string_view>

#include "model/formula/gpu_tiles.h"
#include "model/kernel/kernel.h"

namespace paceline {

// Empty for other products, and where no launch of the architecture ("pascal") was published.
std::span<const formula::TileChoice> batched_tiles(std::string_view architecture,
                                                   const GemmShape& shape);

}  // namespace paceline
