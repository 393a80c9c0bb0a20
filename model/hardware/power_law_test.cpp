#include "model/hardware/power_law.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/temporary_folder.h"

namespace paceline {
namespace {

TEST(PowerLaw, NoLimitIsTheWholeClock) {
  const formula::PowerLaw law = shipped_power_law();
  EXPECT_NEAR(formula::power_at_clock(1, law), 1, 1e-12);
  EXPECT_EQ(formula::clock_at_power(1, law), 1);
}

TEST(PowerLaw, TheClockIsTheOneThatDrawsThePower) {
  const formula::PowerLaw law = shipped_power_law();
  for (double power = 0.2; power < 1; power += 0.05) {
    EXPECT_NEAR(formula::power_at_clock(formula::clock_at_power(power, law), law), power, 1e-9);
  }
}

// Near the top the voltage falls with the clock, so a watt costs little clock; below the lowest
// voltage every watt costs the same.
TEST(PowerLaw, ShallowLimitsCostLittleClockAndDeepOnesMuch) {
  const formula::PowerLaw law = shipped_power_law();
  const auto clock = [&](double power) { return formula::clock_at_power(power, law); };
  EXPECT_LT(1 - clock(0.9), 0.05);
  EXPECT_LT(clock(0.4), 0.45);
  EXPECT_NEAR(clock(0.4) - clock(0.3), clock(0.5) - clock(0.4), 1e-9);
  EXPECT_GT(clock(0.5) - clock(0.4), 3 * (clock(1) - clock(0.9)));
}

TEST(PowerLaw, SharesAreBelowOneAndHaveASource) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& share) {
    const std::filesystem::path file = folder.path() / "law.json";
    std::ofstream(file) << R"({"schema": "paceline.power-law/1", "static_share": )" << share
                        << R"(, "lowest_voltage": {"value": 0.8, "source": "a"},
      "highest_clock_at_lowest_voltage": {"value": 0.8, "source": "a"},
      "lowest_clock": {"value": 0.1, "source": "a"}})";
    return read_power_law(file);
  };
  EXPECT_EQ(read(R"({"value": 0.2, "source": "a"})").static_share, 0.2);
  EXPECT_THROW(read(R"({"value": 1.2, "source": "a"})"), InputError);
  EXPECT_THROW(read(R"({"value": 0.2, "source": ""})"), InputError);
}

}  // namespace
}  // namespace paceline
