// Batch normalisation and its gradient from their definition, one element at a time: what results
// of a GPU are compared with. `x` and `dy` are all values of one channel.
#pragma once

#include <cstddef>
#include <vector>

namespace paceline {

// scale (x_i - mean) / sqrt(variance + epsilon) + shift, with the variance of the batch (divided by
// the number of values, not one less)
double batch_norm_output(const std::vector<double>& x, std::size_t i, double scale, double shift,
                         double epsilon);
// d/dx_i of the sum of dy times the output (Ioffe and Szegedy 2015, section 3):
// scale / sqrt(variance + epsilon) (dy_i - mean(dy) - z_i mean(dy z)), z the output of scale 1,
// shift 0
double batch_norm_gradient(const std::vector<double>& x, const std::vector<double>& dy,
                           std::size_t i, double scale, double epsilon);

}  // namespace paceline
