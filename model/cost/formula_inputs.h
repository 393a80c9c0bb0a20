// From a kernel and where it runs to the plain numbers of a formula.
#pragma once

#include "model/cost/cost_model.h"
#include "model/formula/cpu_convolution.h"
#include "model/formula/cpu_gemm.h"
#include "model/formula/cpu_stream.h"

namespace paceline {

// Each throws InputError naming the kernel if its shape is not of the formula's kind.
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::CpuGemm::Input& input);
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::CpuConvolution::Input& input);
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::CpuStream::Input& input);

}  // namespace paceline
