#include "model/hardware/power_share.h"

#include <algorithm>

namespace paceline {
namespace {

constexpr double kEnough = 0.75;

double watts_per_flops(const DeviceSpec& board) {
  return board.power.value.value / board.vector_peak.value.si();
}

}  // namespace

double power_share(const DeviceSpec& board, const DeviceCatalog& catalog) {
  double most = watts_per_flops(board);
  for (const DeviceSpec& other : catalog.devices()) {
    if (other.kind != board.kind || other.architecture != board.architecture) continue;
    most = std::max(most, watts_per_flops(other));
  }
  return std::min(1.0, watts_per_flops(board) / (kEnough * most));
}

bool is_limited_by_power(std::string_view family) { return family == "gpu.gemm.vector"; }

}  // namespace paceline
