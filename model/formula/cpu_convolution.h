// cpu.convolution/1: one pass of a convolution by a direct, channel-blocked kernel on `n_t` threads
// of a CPU:
//
//   t = call + [n_t > 1] fork + pnorm(T_c, T_m; 1 + overlap) / s(n_t; contention) imbalance
//   T_c = 2 N K C/g R S (P + edge_h)(Q + edge_w) / (flop_rate e_class)
//   T_m = 4 (image bytes / near + filter bytes / filter_near) + misses, as in cache_traffic.h
//
// e_class is 1 for filters of several taps at stride 1 and exp(class_*) for 1 x 1 filters, for
// stride > 1 and for inputs of fewer channels than a block (the first layer). `edge_w` is the work
// lost because the register block along the width is not filled. Source of the blocking: Georganas
// et al., "Anatomy of high-performance deep learning convolutions on SIMD architectures", SC 2018.
// Derivation and where it breaks: docs/models/cpu-convolution.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "model/formula/cache_traffic.h"
#include "model/formula/overlap.h"
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
    double element_bytes = 4;
    double threads = 1;
    double reuse_distance = 0;  // bytes touched since the operands were last used
  };

  enum {
    kCall,
    kFork,
    kFlopRate,
    kEdgeH,
    kEdgeW,
    kClassPointwise,
    kClassStrided,
    kClassFirst,
    kFilterMove,
    kNear,
    kFar,
    kCapacity,
    kSharpness,
    kContention,
    kMemoryContention,
    kOverlap,
    kCount
  };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"call", "s"},
      {"fork", "s"},
      {"flop_rate", "FLOP/s"},
      {"edge_h", "1"},
      {"edge_w", "1"},
      {"class_pointwise", "1", Domain::kReal},
      {"class_strided", "1", Domain::kReal},
      {"class_first", "1", Domain::kReal},
      {"filter_move", "s/B"},
      {"near_bandwidth", "B/s"},
      {"far_bandwidth", "B/s"},
      {"cache_capacity", "B"},
      {"cache_sharpness", "1"},
      {"contention", "1", Domain::kFraction},
      {"memory_contention", "1", Domain::kFraction},
      {"overlap", "1"},
  }};

  // Channels below which an input is no whole block of a direct kernel: the image itself.
  static constexpr double kImageChannels = 4;

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    using std::exp;
    const double more = in.threads - 1.0;
    const T alone = (1.0 + p[kContention] * more) / in.threads;
    const T alone_far = (1.0 + p[kMemoryContention] * more) / in.threads;
    T klass = T(0.0);
    if (in.r * in.s == 1) klass += p[kClassPointwise];
    if (in.strided) klass += p[kClassStrided];
    if (in.c / in.groups < kImageChannels) klass += p[kClassFirst];

    TimeParts<T> out;
    out.fixed = p[kCall] + (in.threads > 1 ? p[kFork] : T(0.0));
    out.compute = 2.0 * in.n * in.k * (in.c / in.groups) * in.r * in.s * (in.p + p[kEdgeH]) *
                  (in.q + p[kEdgeW]) / (p[kFlopRate] * exp(klass)) * alone;
    const double images = in.element_bytes * in.n * (in.c * in.h * in.w + in.k * in.p * in.q);
    const double filters = in.element_bytes * in.k * (in.c / in.groups) * in.r * in.s;
    const double bytes = images + filters;
    const T miss = miss_share(std::max(bytes, in.reuse_distance), p[kCapacity], p[kSharpness]);
    out.memory =
        (images / p[kNear] + filters * p[kFilterMove]) * alone + bytes * miss / p[kFar] * alone_far;
    out.total = out.fixed + pnorm(out.compute, out.memory, T(1.0 + p[kOverlap]));
    return out;
  }
};

}  // namespace paceline::formula
