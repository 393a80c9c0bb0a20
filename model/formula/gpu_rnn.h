// gpu.rnn/5: a recurrent layer run by one library call (cuDNN) on a GPU. Forward and data gradient
// walk through the steps; the input product of all steps is hoisted out of the walk, and layers
// work on different steps at the same time:
//
//   t = launch + T_in + (steps + L - 1) T_step
//   T_step = step + pnorm( 2 g H H B c / (P recurrent_share) + H depth / f, c Q_cell; 1 + overlap )
//   T_in   = 2 g H (I + (L - 1) H) B steps / (P compute_share)
//   c      = directions L steps / (steps + L - 1)           cells that run at the same time
//   Q_cell = bytes of g H H weights + B H (g + 2) activations, at the rates of gpu_memory.h
//   recurrent_share = compute_share c B / (c B + half_batch)
//
// `half_batch` says how many columns fill half of the device: a product with few of them does not.
// `depth` is how many clocks of 1/f each of the H terms of a step's sums adds to the step, because
// they follow one another. The weight gradient is a product over all steps, in at most `slices`
// parts:
//
//   t = launch + 2 g H H B steps / (P compute_share) (1 + half_batch min(steps, slices)/(B steps))
//
// Source: Appleyard et al., "Optimizing performance of recurrent neural networks on GPUs",
// arXiv 1604.01946. A persistent kernel keeps the recurrent weights on chip and synchronises its
// blocks instead of starting kernels: Q_cell loses the weights, and a step costs `persistent_step`
// instead of `step` and no idle columns (half_batch = 0). Source: Diamos et al., "Persistent RNNs:
// stashing recurrent weights on-chip", ICML 2016.
// Derivation, fitted values and where it breaks: docs/models/gpu-rnn.md.
#pragma once

#include <array>
#include <string_view>

#include "model/formula/gpu_memory.h"
#include "model/formula/overlap.h"
#include "model/formula/time_parts.h"

namespace paceline::formula {

struct GpuRnn {
  static constexpr std::string_view kId = "gpu.rnn/5";

  struct Input {
    double gates = 4, input = 0, hidden = 0, batch = 0, steps = 0, layers = 1, directions = 1;
    bool weight_gradient = false;
    bool persistent = false;
    double element_bytes = 4;
    GpuDevice device{};
  };

  enum {
    kLaunch,
    kStep,
    kComputeShare,
    kHalfBatch,
    kOverlap,
    kMemoryShare,
    kCacheFit,
    kCacheRate,
    kPersistentStep,
    kDepth,
    kSlices,
    kCount
  };
  static constexpr std::array<Declaration, kCount> kParameters = {{
      {"launch", "s"},
      {"step", "s"},
      {"compute_share", "1"},
      {"half_batch", "1"},
      {"overlap", "1"},
      {"memory_share", "1"},
      {"cache_fit", "1"},
      {"cache_rate", "B"},
      {"persistent_step", "s"},
      {"depth", "1"},
      {"slices", "1"},
  }};

  template <typename T>
  static TimeParts<T> time(const Input& in, const T* p) {
    const T rate = in.device.matrix_peak * p[kComputeShare];
    const double per_sample = 2 * in.gates * in.hidden * in.directions;  // FLOP of one input value
    const double first = per_sample * in.input * in.batch * in.steps;
    const double later =
        per_sample * in.hidden * in.directions * in.batch * in.steps * (in.layers - 1);
    const double recurrent = per_sample * in.hidden * in.batch * in.steps * in.layers;

    TimeParts<T> out;
    if (in.weight_gradient) {
      out.fixed = p[kLaunch];
      const T slices = in.steps < plain(p[kSlices]) ? T(in.steps) : p[kSlices];
      out.compute = (first + later + recurrent) / rate *
                    (1.0 + p[kHalfBatch] * slices / (in.batch * in.steps));
      out.memory = T(0.0);
      out.total = out.fixed + out.compute;
      return out;
    }
    const double walk = in.steps + in.layers - 1;
    const double cells = in.directions * in.layers * in.steps / walk;
    const GpuMemory<T> memory{p[kMemoryShare], p[kCacheFit], p[kCacheRate]};
    const double weights = in.persistent ? 0 : in.gates * in.hidden * in.hidden;
    const double state = in.batch * in.hidden * (in.gates + 2);
    const double cell = 2 * in.gates * in.hidden * in.hidden * in.batch;
    const T idle = in.persistent ? T(0.0) : p[kHalfBatch] / in.batch;
    const T in_turn = in.persistent ? T(0.0) : T(in.hidden * p[kDepth] / in.device.clock);
    const T step_compute = cell * (cells + idle) / rate + in_turn;
    const T step_memory =
        gpu_memory_time(cells * in.element_bytes * (weights + state), 0, in.device, memory);
    out.fixed = p[kLaunch] + walk * (in.persistent ? p[kPersistentStep] : p[kStep]);
    out.compute = (first + later) / rate + walk * step_compute;
    out.memory = walk * step_memory;
    out.total = out.fixed + (first + later) / rate +
                walk * pnorm(step_compute, step_memory, T(1.0 + p[kOverlap]));
    return out;
  }
};

}  // namespace paceline::formula
