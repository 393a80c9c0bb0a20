// From one measurement to the kernel it is of: the axes of a benchmark name its shape.
//
//   sgemm        m n k [batch] trans_a trans_b ("N"/"T")
//   convolution  pass n c h w k r s [pad_h pad_w stride_h stride_w groups
//                channels_last]
//   recurrent    pass gates input hidden batch steps [layers]
//   attention    attention ("forward"/"backward") batch seq heads kv_heads head_dim causal (0/1)
//   others       elements read_bytes written_bytes [row kind]
#pragma once

#include <optional>

#include "model/cost/cost_model.h"
#include "traces/measurement/measurement.h"

namespace paceline {

// Nothing if the axes describe no kernel. Throws InputError naming the benchmark if they describe
// one incompletely.
std::optional<Kernel> kernel_of(const Measurement& measurement);
// The axis "threads"; 1 if absent. Every kernel may have an axis "precision"; fp32 if absent.
ExecutionContext context_of(const Measurement& measurement);

}  // namespace paceline
