#include "model/cost/gpu_family.h"

#include <array>

namespace paceline {
namespace {

constexpr std::array<GpuFamily, 22> kFamilies = {{
    {"gpu.gemm.vector", "gpu.gemm/4", "matrix products in fp32"},
    {"gpu.gemm.matrix", "gpu.gemm/4", "matrix products in tf32, fp16, bf16 on matrix units"},
    {"gpu.gemm.fp8", "gpu.gemm/4", "matrix products in fp8"},
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
    {"gpu.stream.elementwise", "gpu.stream/3", "elementwise operations, copies, pooling, gathers"},
    {"gpu.stream.normalization", "gpu.stream/3", "normalisations"},
    {"gpu.stream.normalization_backward", "gpu.stream/3", "their gradients"},
    {"gpu.stream.softmax", "gpu.stream/3", "softmax and its logarithm"},
    {"gpu.stream.optimizer", "gpu.stream/3", "fused optimizer updates"},
}};

// Where the families of a kind begin in the table; units and passes follow in the order of theirs.
constexpr std::size_t kProducts = 0;
constexpr std::size_t kConvolutions = 3;
constexpr std::size_t kRecurrent = 9;
constexpr std::size_t kAttention = 15;
constexpr std::size_t kStreams = 17;
constexpr std::size_t kPasses = 3;

enum Unit : std::size_t { kVector, kMatrix, kFp8 };

Unit unit_of(const Kernel& kernel, const DeviceSpec& device) {
  device.peak(kernel.precision);  // throws if there is none
  const bool is_product = std::holds_alternative<GemmShape>(kernel.shape);
  if (kernel.precision == Precision::kFp8 && is_product) return kFp8;
  return device.uses_matrix_units(kernel.precision) ? kMatrix : kVector;
}

// Nobody has published timings of gathers: they are priced as elementwise kernels of their traffic.
StreamKind priced_as(StreamKind kind) {
  return kind == StreamKind::kGather ? StreamKind::kElementwise : kind;
}

}  // namespace

std::span<const GpuFamily> gpu_families() { return kFamilies; }

std::size_t gpu_family_index(const Kernel& kernel, const DeviceSpec& device) {
  if (const auto* stream = std::get_if<StreamShape>(&kernel.shape)) {
    return kStreams + static_cast<std::size_t>(priced_as(stream->kind));
  }
  const Unit unit = unit_of(kernel, device);
  if (std::holds_alternative<GemmShape>(kernel.shape)) return kProducts + unit;
  if (const auto* conv = std::get_if<ConvShape>(&kernel.shape)) {
    return kConvolutions + kPasses * unit + static_cast<std::size_t>(conv->pass);
  }
  if (const auto* rnn = std::get_if<RnnShape>(&kernel.shape)) {
    return kRecurrent + kPasses * unit + static_cast<std::size_t>(rnn->pass);
  }
  const bool forward = std::get<AttentionShape>(kernel.shape).pass == Pass::kForward;
  return kAttention + (forward ? 0 : 1);
}

std::string gpu_family(const Kernel& kernel, const DeviceSpec& device) {
  return std::string(kFamilies[gpu_family_index(kernel, device)].name);
}

}  // namespace paceline
