// Boards that cannot hold their data-sheet clock under load: passively cooled cards of an
// architecture are sold with the full peak and a fraction of the power (T4: 8.6 W for a TFLOP/s,
// RTX 2080 Ti: 19). The share of the fp32 peak that a board has the power for,
//
//   min(1, (power / peak) / (enough x that of the most generous board of the architecture)),
//
// with `enough` = 3/4: boards above that show no throttling in public timings. Power rises with the
// clock at constant voltage linearly, and near the lowest voltage there is no other way to save it.
#pragma once

#include <string_view>

#include "model/hardware/device_catalog.h"

namespace paceline {

// 1 for a board with enough power, and for an architecture of which the catalog holds no other.
double power_share(const DeviceSpec& board, const DeviceCatalog& catalog);

// Whether kernels of the family keep the fp32 units busy enough to be held back: matrix products.
// Convolutions are predicted worse with the share than without (decision 093).
bool is_limited_by_power(std::string_view family);

}  // namespace paceline
