// One layer of cuDNN that is limited by memory, forward or backward, on images of n x c x h x w.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

enum class CudnnLayer { kBatchNorm, kSoftmax, kMaxPool, kRelu };

struct LayerTraits {
  CudnnLayer layer;
  bool backward;
  const char* name;
  // Tensors of the size of the input, and of the output, that are read and written.
  int read_in, read_out, written_in, written_out;
};

struct LayerImage {
  std::int64_t n, c, h, w;
  std::int64_t elements() const { return n * c * h * w; }
};
// A 2 x 2 window with stride 2.
inline LayerImage pooled(const LayerImage& image) {
  return {image.n, image.c, image.h / 2, image.w / 2};
}

// `traits` outlives the kernel.
std::unique_ptr<GpuKernel> make_layer_kernel(const LayerTraits& traits, const LayerImage& image,
                                             const std::string& precision, bool channels_last);

}  // namespace paceline
