// From a kernel and where it runs to the plain numbers of a formula.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "core/error.h"
#include "model/cost/cost_model.h"
#include "model/formula/cpu_convolution.h"
#include "model/formula/cpu_gemm.h"
#include "model/formula/cpu_stream.h"
#include "model/formula/gpu_attention.h"
#include "model/formula/gpu_convolution.h"
#include "model/formula/gpu_gemm.h"
#include "model/formula/gpu_rnn.h"
#include "model/formula/gpu_stream.h"

namespace paceline {

// The shape inside `kernel`; throws InputError naming the kernel if it is of another kind than
// `wanted` says.
template <typename Shape>
const Shape& shape_of(const Kernel& kernel, std::string_view wanted) {
  if (const Shape* shape = std::get_if<Shape>(&kernel.shape)) return *shape;
  throw InputError("kernel " + kernel.implementation + " has the shape \"" +
                   to_string(kernel.shape) + "\"; its formula needs a " + std::string(wanted) +
                   " shape");
}

// Each throws InputError naming the kernel if its shape is not of the formula's kind.
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::CpuGemm::Input& input);
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::CpuConvolution::Input& input);
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::CpuStream::Input& input);

// The shape alone: no device, fp32, all the workspace there is.
formula::ConvolutionInput convolution_input(const ConvShape& shape);

// Those of a GPU also throw InputError if the context names no device, and UsageError if the device
// lacks the kernel's precision.
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuAttention::Input& input);
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuConvolution::Input& input);
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuGemm::Input& input);
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuRnn::Input& input);
void read_input(const Kernel& kernel, const ExecutionContext& context,
                formula::GpuStream::Input& input);

}  // namespace paceline
