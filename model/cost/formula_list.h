// The kernel formulas that exist. Adding one: a header in model/formula/, an entry here, and its
// input in formula_inputs.h; the cost model and the fits follow.
#pragma once

#include <tuple>

#include "model/formula/cpu_convolution.h"
#include "model/formula/cpu_gemm.h"
#include "model/formula/cpu_stream.h"
#include "model/formula/gpu_attention.h"
#include "model/formula/gpu_convolution.h"
#include "model/formula/gpu_gemm.h"
#include "model/formula/gpu_rnn.h"
#include "model/formula/gpu_stream.h"

namespace paceline {

using KernelFormulas =
    std::tuple<formula::CpuConvolution, formula::CpuGemm, formula::CpuStream, formula::GpuAttention,
               formula::GpuConvolution, formula::GpuGemm, formula::GpuRnn, formula::GpuStream>;

}  // namespace paceline
