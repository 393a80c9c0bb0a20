#include "model/hardware/power_share.h"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

constexpr std::string_view kVector = "gpu.gemm.vector";
constexpr double kEnough = 0.75;
constexpr double kPowerOfClock = 2.5;

double watts_per_flops(const DeviceSpec& board) {
  return board.power.value.value / board.vector_peak.value.si();
}

// Matrix FLOP in 16 bits for each vector FLOP; 0 without matrix units.
double matrix_ratio(const DeviceSpec& board) {
  const auto peak = board.matrix_peak.find(Precision::kFp16);
  if (!board.matrix_units || peak == board.matrix_peak.end()) return 0;
  return peak->second.value / board.vector_peak.value;
}

}  // namespace

double power_share(const DeviceSpec& board, const DeviceCatalog& catalog, std::string_view family) {
  if (!is_limited_by_power(family)) return 1;
  double most = watts_per_flops(board);
  double full_rate = matrix_ratio(board);
  for (const DeviceSpec& other : catalog.devices()) {
    if (other.kind != board.kind || other.architecture != board.architecture) continue;
    most = std::max(most, watts_per_flops(other));
    full_rate = std::max(full_rate, matrix_ratio(other));
  }
  const double of_most = watts_per_flops(board) / most;
  if (family == kVector) return std::min(1.0, of_most / kEnough);
  if (matrix_ratio(board) == 0) return 1;
  const double in_use = matrix_ratio(board) / full_rate;
  return std::min(1.0, std::pow(of_most / in_use, 1 / kPowerOfClock));
}

bool is_limited_by_power(std::string_view family) {
  return family == kVector || family == "gpu.gemm.matrix" || family == "gpu.gemm.fp8";
}

double power_share_between(const DeviceSpec& board, const DeviceSpec& lender,
                           const DeviceCatalog& catalog, std::string_view family) {
  return power_share(board, catalog, family) / power_share(lender, catalog, family);
}

void scale_compute_share(Fit& fit, double scale) {
  for (Parameter& p : fit.parameters) {
    if (p.name == "compute_share") p.value *= scale;
  }
}

}  // namespace paceline
