// Measured layer times instead of the kernel model: a CSV with one row per layer in the order of
// the forward pass,
//
//   layer,forward_s,backward_s,tensors
//   conv1,0.0073721,0.0147441,9408+64
//   pool1,0.0011,0.0019,
//
// `tensors` are the element counts of the layer's trainable tensors in the order of registration,
// joined by "+", empty if it has none. Gradients of a layer are final in the opposite order, the
// last at the end of its backward pass, the others with it. Arithmetic is taken to bound them, and
// tensors to be square where a compression asks for their shape. Lines that start with # are
// remarks.
#pragma once

#include <filesystem>
#include <string_view>

#include "simulator/job/compute_profile.h"

namespace paceline {

// No update time and one micro-batch. Throws InputError naming line, what was found and what is
// allowed.
ComputeProfile read_profile(const std::filesystem::path& file);
ComputeProfile parse_profile(std::string_view text, const std::string& where);

}  // namespace paceline
