// What the GPU formulas need to know of a device: data-sheet facts, in SI units. Fitted parameters
// are shares of these, so that they can be compared and transferred between devices.
#pragma once

namespace paceline::formula {

struct GpuDevice {
  double multiprocessors = 0;
  double matrix_peak = 0;  // FLOP/s of matrix products at the kernel's precision
  double vector_peak = 0;  // FLOP/s fp32
  double bandwidth = 0;    // B/s of the memory
  double cache = 0;        // B of the last-level cache
  double clock = 0;        // Hz of the multiprocessors
  // Rate of the matrix units with fp32 sums against the rate their operand paths are built for:
  // 1/2 on GeForce boards, which sum in fp16 at full rate only.
  double rate_share = 1;
};

// The number inside a scalar that may carry derivatives (ceres::Jet), to choose between branches:
// where the choice is unique, the derivative of a minimum is that of the chosen branch.
template <typename T>
double plain(const T& x) {
  if constexpr (requires { x.a; }) {
    return x.a;
  } else {
    return x;
  }
}

}  // namespace paceline::formula
