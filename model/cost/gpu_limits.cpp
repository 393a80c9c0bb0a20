#include "model/cost/gpu_limits.h"

#include <algorithm>

#include "model/cost/least_arithmetic.h"

namespace paceline {
namespace {

// Elements of its input that a convolution never reads because its stride is wider than its filter.
double skipped_elements(const ConvShape& s) {
  if (s.pass == Pass::kDgrad) return 0;  // the gradient of what was skipped is written too
  const auto read = [](std::int64_t taps, std::int64_t stride) {
    return std::min(1.0, static_cast<double>(taps) / static_cast<double>(stride));
  };
  const double input = static_cast<double>(s.n) * static_cast<double>(s.c) *
                       static_cast<double>(s.h) * static_cast<double>(s.w);
  return input * (1 - read(s.r, s.stride_h) * read(s.s, s.stride_w));
}

Bytes touched_bytes(const Kernel& kernel) {
  const Bytes all = kernel_bytes(kernel.shape, kernel.precision);
  const auto* convolution = std::get_if<ConvShape>(&kernel.shape);
  if (convolution == nullptr) return all;
  return all - skipped_elements(*convolution) * element_size(kernel.precision);
}

Bytes caches(const DeviceSpec& device) {
  Bytes out = device.last_level_cache.value;
  if (device.memory_side_cache) out += device.memory_side_cache->value;
  return out;
}

}  // namespace

Seconds least_time(const Kernel& kernel, const DeviceSpec& device) {
  const Bytes from_memory = std::max(Bytes(0), touched_bytes(kernel) - caches(device));
  const Seconds memory = from_memory / device.memory.bandwidth.value;
  if (std::holds_alternative<StreamShape>(kernel.shape)) return memory;
  const Flops arithmetic =
      least_flops(kernel.shape, kernel.precision, device.uses_matrix_units(kernel.precision));
  return std::max(memory, arithmetic / device.peak(kernel.precision));
}

}  // namespace paceline
