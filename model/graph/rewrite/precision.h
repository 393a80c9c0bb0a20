// Mixed precision: which tensors are stored in 16 bits and where values are converted.
#pragma once

#include "model/graph/workload_graph.h"

namespace paceline {

enum class MixedPrecision {
  // Matrix operations read and write the narrow type; normalisations, softmax and losses read and
  // write fp32; everything else follows its inputs. Casts are operations of the graph. The rules
  // of torch.autocast.
  kAutocast,
  // Everything but the loss is stored in the narrow type, as when the weights themselves are
  // (DeepSpeed, Megatron-LM, FSDP mixed precision).
  kUniform,
};

// fp32 and tf32 change the arithmetic only; fp8 does so with bf16 storage, as fp8 operands are made
// on the way into a matrix product.
WorkloadGraph with_precision(WorkloadGraph graph, Precision precision,
                             MixedPrecision style = MixedPrecision::kAutocast);

}  // namespace paceline
