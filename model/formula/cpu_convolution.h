// cpu.convolution/1: one pass of a convolution by a direct, channel-blocked kernel on `threads` of
// a CPU:
//
//   t = call + [threads > 1] fork + T_c c(threads) + T_m f(threads)
//   T_c = 2 N K' C' R S (P + edge_h)(Q + edge_w) e^class / flop_rate
//   T_m = image bytes image_move + filter bytes filter_move, scaled down by hits in the caches
//   c(n) = 1 / speedup(n; contention),  f(n) = 1 / speedup(n; memory_contention)
//
// K' and C' are the channels per group rounded up to whole blocks of `block`; an image of fewer
// channels than a block is read as it is, except that its gradient is computed for a whole block.
// `edge_h`, `edge_w`: rows and columns of register work lost at the border. e^class is 1 for
// filters of several taps at stride 1; 1 x 1 filters, strides and first layers have their own
// factors. Images and filters pass through the caches once (blocking reuses them there); T_m is
// what is not hidden behind the arithmetic. Blocking: Georganas et al., "Anatomy of
// high-performance deep learning convolutions on SIMD architectures", SC 2018. Derivation and where
// it breaks: docs/models/cpu-convolution.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "model/formula/cache_traffic.h"
#include "model/formula/thread_scaling.h"
#include "model/formula/time_parts.h"

namespace paceline::formula {

struct CpuConvolution {
  static constexpr std::string_view kId = "cpu.convolution/1";

  struct Input {
    double n = 0, c = 0, h = 0, w = 0;  // images, input channels, input height and width
    double k = 0, r = 0, s = 0;         // filters, filter height and width
    double p = 0, q = 0;                // output height and width
    double groups = 1;
    bool strided = false;
    bool input_gradient = false;  // the pass that computes the gradient of the image
    double element_bytes = 4;
    double threads = 1;
    double reuse_distance = 0;  // bytes touched since the operands were last used
  };

  enum {
    kCall,
    kFork,
    kFlopRate,
    kBlock,
    kEdgeH,
    kEdgeW,
    kClassPointwise,
    kClassStrided,
    kClassFirst,
    kImageMove,
    kFilterMove,
    kCacheHit,
    kCapacity,
    kSharpness,
    kContention,
    kMemoryContention,
    kCount
  };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"call", "s"},
      {"fork", "s"},
      {"flop_rate", "FLOP/s"},
      {"block", "1"},
      {"edge_h", "1"},
      {"edge_w", "1"},
      {"class_pointwise", "1", Domain::kReal},
      {"class_strided", "1", Domain::kReal},
      {"class_first", "1", Domain::kReal},
      {"image_move", "s/B"},
      {"filter_move", "s/B"},
      {"cache_hit", "1", Domain::kFraction},
      {"cache_capacity", "B"},
      {"cache_sharpness", "1"},
      {"contention", "1", Domain::kFraction},
      {"memory_contention", "1", Domain::kFraction},
  }};

  // Whole blocks of channels.
  template <typename T>
  static T blocked(double channels, const T& block) {
    using std::ceil;
    return ceil(T(channels / block)) * block;
  }

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    using std::exp;
    const double channels = in.c / in.groups;
    const bool is_first = channels < p[kBlock];
    T klass = T(0.0);
    if (in.r * in.s == 1) klass += p[kClassPointwise];
    if (in.strided) klass += p[kClassStrided];
    if (is_first) klass += p[kClassFirst];
    const T inputs = is_first && !in.input_gradient ? T(channels) : blocked(channels, p[kBlock]);
    const T filters = in.groups * blocked(in.k / in.groups, p[kBlock]);

    const double more = in.threads - 1.0;
    TimeParts<T> out;
    out.fixed = p[kCall] + (in.threads > 1 ? p[kFork] : T(0.0));
    out.compute = 2.0 * in.n * filters * inputs * in.r * in.s * (in.p + p[kEdgeH]) *
                  (in.q + p[kEdgeW]) * exp(klass) / p[kFlopRate] *
                  ((1.0 + p[kContention] * more) / in.threads);
    const double image_bytes = in.element_bytes * in.n * (in.c * in.h * in.w + in.k * in.p * in.q);
    const double filter_bytes = in.element_bytes * in.k * channels * in.r * in.s;
    const double working_set = std::max(image_bytes + filter_bytes, in.reuse_distance);
    const T miss = miss_share(working_set, p[kCapacity], p[kSharpness]);
    // A hit costs the share `cache_hit` of a miss.
    out.memory = (image_bytes * p[kImageMove] + filter_bytes * p[kFilterMove]) *
                 (miss + (1.0 - miss) * p[kCacheHit]) *
                 ((1.0 + p[kMemoryContention] * more) / in.threads);
    out.total = out.fixed + out.compute + out.memory;
    return out;
  }
};

}  // namespace paceline::formula
