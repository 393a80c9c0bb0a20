#include "model/hardware/launch_latency.h"

#include <gtest/gtest.h>

#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

// The steps of a launch take clocks: with half of the clock they take twice as long.
TEST(LaunchLatency, IsInverseToTheClock) {
  DeviceSpec board = DeviceCatalog::shipped().at("a40");
  const double scale = launch_scale(board, "gpu.stream.elementwise");
  board.vector_peak.value = 0.5 * board.vector_peak.value;
  EXPECT_DOUBLE_EQ(launch_scale(board, "gpu.stream.elementwise"), 2 * scale);
}

// The host launches the kernels of a recurrent layer one after another, whatever the board's clock.
TEST(LaunchLatency, OfRecurrentLayersIsTheHosts) {
  EXPECT_EQ(launch_scale(DeviceCatalog::shipped().at("l40"), "gpu.rnn.vector.forward"), 1);
}

}  // namespace
}  // namespace paceline
