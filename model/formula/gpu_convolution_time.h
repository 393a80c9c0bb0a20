// The time of a convolution by one algorithm and tile: the kernel of its product, and what other
// kernels do before and after it. Equations and sources: gpu_convolution.h.
#pragma once

#include "model/formula/gpu_convolution_parameters.h"
#include "model/formula/gpu_convolution_product.h"

namespace paceline::formula {

struct GpuConvolutionTime : GpuConvolutionParameters {
  // An algorithm and, where it is a matrix product, its tile.
  struct Choice {
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::kImplicitGemm;
    TileChoice tile{};
  };

  template <typename T>
  static TimeParts<T> choice_time(const ConvolutionInput& in, const Choice& choice, const T* p) {
    TimeParts<T> out;
    const TileRates<T> r = rates(in, choice.algorithm, p);
    if (choice.algorithm == ConvolutionAlgorithm::kDepthwise) {
      out.fixed = p[kLaunch];
      out.compute = T(0.0);
      out.memory = compulsory_bytes(in) / (p[kDepthwiseShare] * in.device.bandwidth);
      out.total = out.fixed + out.memory;
      return out;
    }
    if (choice.algorithm == ConvolutionAlgorithm::kFft) {
      out.fixed = p[kLaunch];
      out.compute = fft_flops(in) / (in.device.vector_peak * r.compute_share);
      out.memory = gpu_memory_time(fft_bytes(in), in.reuse_distance, in.device, r.memory);
      out.total = out.fixed + out.compute + out.memory;
      return out;
    }
    out = tiled_product_time(product(in, choice.algorithm), in.device, r, choice.tile);
    out.fixed += p[kLaunch];
    out.total += p[kLaunch];
    if (const double bytes = other_bytes(in, choice.algorithm); bytes > 0) {
      const T others = gpu_memory_time(bytes, in.reuse_distance, in.device, r.memory);
      out.memory += others;
      out.total += others;
      if (choice.algorithm == ConvolutionAlgorithm::kImplicitGemm) {
        out.fixed += p[kLaunch];
        out.total += p[kLaunch];
      }
    }
    if (is_converted(in)) {
      const auto moved = [&](double bytes) {
        return gpu_memory_time(bytes, in.reuse_distance, in.device, r.memory);
      };
      const T conversion = moved(input_conversion_bytes(in)) + moved(output_conversion_bytes(in));
      out.memory += conversion;
      out.total += conversion + 2.0 * p[kLaunch];
      out.fixed += 2.0 * p[kLaunch];
    }
    return out;
  }
};

}  // namespace paceline::formula
