#include "microbench/harness/noise_gate.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

// user nice system idle iowait irq softirq steal guest guest_nice: idle and iowait are not work,
// and guest time is already part of user time.
TEST(NoiseGate, CountsEverythingButIdleAndWaiting) {
  const Seconds busy = busy_seconds("cpu  100 20 30 9000 500 4 3 2 77 88", 100);
  EXPECT_DOUBLE_EQ(busy.si(), 1.59);
}

TEST(NoiseGate, RefusesAnythingElse) {
  EXPECT_THROW(busy_seconds("", 100), MeasurementError);
  EXPECT_THROW(busy_seconds("cpu0 1 2 3 4 5 6 7 8", 100), MeasurementError);
  EXPECT_THROW(busy_seconds("cpu 1 2 3", 100), MeasurementError);
}

// In 10 s all processors worked for 15 s, of which 10 s were ours: others used half a processor.
TEST(NoiseGate, ForeignUseIsWhatIsNotOurs) {
  const CpuUse before{Seconds(100), Seconds(40), Seconds(7)};
  const CpuUse after{Seconds(110), Seconds(55), Seconds(17)};
  EXPECT_DOUBLE_EQ(foreign_processors(before, after), 0.5);
}

TEST(NoiseGate, IsNeverNegative) {
  const CpuUse before{Seconds(0), Seconds(0), Seconds(0)};
  EXPECT_EQ(foreign_processors(before, {Seconds(1), Seconds(0.99), Seconds(1)}), 0);
  EXPECT_EQ(foreign_processors(before, before), 0);
}

TEST(NoiseGate, SeesItsOwnWorkAsOwn) {
  const CpuUse before = cpu_use_now();
  volatile double sink = 0;
  while ((cpu_use_now().own - before.own).si() < 0.05) sink = sink + 1;
  const CpuUse after = cpu_use_now();
  EXPECT_GE((after.own - before.own).si(), 0.05);
  EXPECT_GE((after.wall - before.wall).si(), 0.04);
}

}  // namespace
}  // namespace paceline
