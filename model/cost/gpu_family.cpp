#include "model/cost/gpu_family.h"

#include <array>

namespace paceline {
namespace {

constexpr std::array<GpuFamily, 22> kFamilies = {{
    {"gpu.gemm.vector", "gpu.gemm/3", "matrix products in fp32"},
    {"gpu.gemm.matrix", "gpu.gemm/3", "matrix products in tf32, fp16, bf16 on matrix units"},
    {"gpu.gemm.fp8", "gpu.gemm/3", "matrix products in fp8"},
    {"gpu.convolution.vector.forward", "gpu.convolution/4", "convolutions in fp32"},
    {"gpu.convolution.vector.dgrad", "gpu.convolution/4", "their input gradients"},
    {"gpu.convolution.vector.wgrad", "gpu.convolution/4", "their weight gradients"},
    {"gpu.convolution.matrix.forward", "gpu.convolution/4", "convolutions on matrix units"},
    {"gpu.convolution.matrix.dgrad", "gpu.convolution/4", "their input gradients"},
    {"gpu.convolution.matrix.wgrad", "gpu.convolution/4", "their weight gradients"},
    {"gpu.rnn.vector.forward", "gpu.rnn/5", "recurrent layers in fp32"},
    {"gpu.rnn.vector.dgrad", "gpu.rnn/5", "their input gradients"},
    {"gpu.rnn.vector.wgrad", "gpu.rnn/5", "their weight gradients"},
    {"gpu.rnn.matrix.forward", "gpu.rnn/5", "recurrent layers on matrix units"},
    {"gpu.rnn.matrix.dgrad", "gpu.rnn/5", "their input gradients"},
    {"gpu.rnn.matrix.wgrad", "gpu.rnn/5", "their weight gradients"},
    {"gpu.attention.forward", "gpu.attention/2", "fused attention"},
    {"gpu.attention.backward", "gpu.attention/2", "its gradients"},
    {"gpu.stream.elementwise", "gpu.stream/2", "elementwise operations, copies, pooling, gathers"},
    {"gpu.stream.normalization", "gpu.stream/2", "normalisations"},
    {"gpu.stream.normalization_backward", "gpu.stream/2", "their gradients"},
    {"gpu.stream.softmax", "gpu.stream/2", "softmax and its logarithm"},
    {"gpu.stream.optimizer", "gpu.stream/2", "fused optimizer updates"},
}};

std::string unit_of(const Kernel& kernel, const DeviceSpec& device) {
  device.peak(kernel.precision);  // throws if there is none
  const bool is_product = std::holds_alternative<GemmShape>(kernel.shape);
  if (kernel.precision == Precision::kFp8 && is_product) return "fp8";
  return device.uses_matrix_units(kernel.precision) ? "matrix" : "vector";
}

// Nobody has published timings of gathers: they are priced as elementwise kernels of their traffic.
std::string_view stream_kind(StreamKind kind) {
  return to_string(kind == StreamKind::kGather ? StreamKind::kElementwise : kind);
}

}  // namespace

std::span<const GpuFamily> gpu_families() { return kFamilies; }

std::string gpu_family(const Kernel& kernel, const DeviceSpec& device) {
  if (const auto* stream = std::get_if<StreamShape>(&kernel.shape)) {
    return "gpu.stream." + std::string(stream_kind(stream->kind));
  }
  const std::string unit = unit_of(kernel, device);
  if (std::holds_alternative<GemmShape>(kernel.shape)) return "gpu.gemm." + unit;
  if (const auto* conv = std::get_if<ConvShape>(&kernel.shape)) {
    return "gpu.convolution." + unit + "." + std::string(to_string(conv->pass));
  }
  if (const auto* rnn = std::get_if<RnnShape>(&kernel.shape)) {
    return "gpu.rnn." + unit + "." + std::string(to_string(rnn->pass));
  }
  const bool forward = std::get<AttentionShape>(kernel.shape).pass == Pass::kForward;
  return std::string("gpu.attention.") + (forward ? "forward" : "backward");
}

}  // namespace paceline
