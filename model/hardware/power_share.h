// Boards that cannot hold their data-sheet clock under load: passively cooled cards of an
// architecture are sold with the full peak and a fraction of the power. With r the power for a
// FLOP/s that a board has, as a share of that of the most generous board of its architecture, it
// sustains of its peak
//
//   r^(1/2.5)         on the matrix units: power rises with the clock and the square of the
//   voltage,
//                     which falls with the clock down to its floor
//   min(1, r / 0.75)  on the fp32 units, which draw less: boards above 3/4 show no throttling
//
// Boards of one architecture have as many matrix FLOP for a vector FLOP, but for those sold with
// half of the rate (GeForce, L40): the matrix units of these have twice the power. The exponent is
// an assumption between 1 (one voltage) and 3 (voltage in proportion to the clock), neither fitted
// nor chosen by validation data (decision 137); 3/4: decision 093.
#pragma once

#include <string_view>

#include "model/hardware/device_catalog.h"
#include "model/parameters/parameter_set.h"

namespace paceline {

// 1 for a family that is not limited by power, for the most generous board, and for an architecture
// of which the catalog holds no other.
double power_share(const DeviceSpec& board, const DeviceCatalog& catalog, std::string_view family);

// Whether kernels of the family keep their units busy enough to be held back: matrix products.
// Convolutions and attention are predicted worse with the share than without (decisions 093, 137).
bool is_limited_by_power(std::string_view family);

// What a board sustains / what `lender`, a board with the same chip, does.
double power_share_between(const DeviceSpec& board, const DeviceSpec& lender,
                           const DeviceCatalog& catalog, std::string_view family);

// The fit of a board that sustains `scale` of the peak that the fit's own board does.
void scale_compute_share(Fit& fit, double scale);

}  // namespace paceline
