#include "model/hardware/launch_latency.h"

namespace paceline {
namespace {

constexpr double kReferenceClock = 1.5e9;

double clock_of(const DeviceSpec& board) {
  return board.vector_peak.value.si() /
         static_cast<double>(board.multiprocessors.value * board.vector_flop_per_clock.value);
}

}  // namespace

double launch_scale(const DeviceSpec& board, std::string_view family) {
  return family.starts_with("gpu.rnn") ? 1 : kReferenceClock / clock_of(board);
}

}  // namespace paceline
