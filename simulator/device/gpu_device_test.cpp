// What a user may say of a board: its clock and its power limit.
#include "simulator/device/gpu_device.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

DeviceSpec h100(const std::map<std::string, std::string>& options) {
  return with_device_options(DeviceCatalog::shipped().at("h100-sxm"), options);
}

double share(const DeviceSpec& limited, Precision precision) {
  return limited.peak(precision) / h100({}).peak(precision);
}

// 500 of 700 W take an eighth of the clock, and memory keeps its own.
TEST(GpuDevice, APowerLimitLowersTheClockAndNotTheMemory) {
  const DeviceSpec limited = h100({{"power", "500W"}});
  EXPECT_GT(share(limited, Precision::kBf16), 0.82);
  EXPECT_LT(share(limited, Precision::kBf16), 0.94);
  EXPECT_DOUBLE_EQ(share(limited, Precision::kFp8), share(limited, Precision::kBf16));
  EXPECT_EQ(limited.memory.bandwidth.value, h100({}).memory.bandwidth.value);
  EXPECT_LT(share(h100({{"power", "250W"}}), Precision::kBf16), 0.4);
  EXPECT_DOUBLE_EQ(share(h100({{"power", "700W"}}), Precision::kBf16), 1);
}

// A board draws something whatever its clock, and has no limit below that.
TEST(GpuDevice, ALimitThatNoClockMeetsIsRefused) {
  for (const char* power : {"1W", "120W", "701W", "0W", "nan W", "500"}) {
    EXPECT_THROW(h100({{"power", power}}), UsageError) << power;
  }
  try {
    h100({{"power", "1W"}});
    FAIL() << "no board runs at 1 W";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("from 165 W"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("700 W"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace paceline
