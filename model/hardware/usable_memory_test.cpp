#include "model/hardware/usable_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "model/hardware/device_catalog.h"

namespace paceline {
namespace {

using testing::HasSubstr;

Bytes usable(const std::string& device, const std::optional<std::string>& ecc = {}) {
  return with_usable_memory(DeviceCatalog::shipped_device(device), shipped_usable_memory(), ecc)
      .memory.capacity->value;
}

// What a process can use is the data sheet's capacity less ECC bits in the memory and at most one
// fortieth for the driver; it is known of every GPU of the catalog and of nothing else.
TEST(UsableMemory, OfEveryGpuIsALittleLessThanItsCapacity) {
  const UsableMemory known = shipped_usable_memory();
  std::size_t gpus = 0;
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  for (const DeviceSpec& device : catalog.devices()) {
    if (device.kind != DeviceKind::kGpu) continue;
    ++gpus;
    ASSERT_TRUE(known.boards.contains(device.name)) << device.name;
    const UsableBoard& board = known.boards.at(device.name);
    const double share = board.usable.value / device.memory.capacity->value;
    const double ecc = board.ecc.value_or(false) ? known.ecc_share.value : 0;
    EXPECT_LE(share, 1 - ecc) << device.name;
    EXPECT_GT(share, 1 - ecc - 0.025) << device.name;
    EXPECT_GT(board.usable.source.size(), 20U) << device.name;
  }
  EXPECT_EQ(known.boards.size(), gpus);
}

// HBM keeps ECC bits beside the memory: there is nothing to choose.
TEST(UsableMemory, OnlyGddrPaysForEcc) {
  const UsableMemory known = shipped_usable_memory();
  const DeviceCatalog catalog = DeviceCatalog::shipped();
  for (const DeviceSpec& device : catalog.devices()) {
    const auto found = known.boards.find(device.name);
    if (found == known.boards.end() || !found->second.ecc) continue;
    EXPECT_THAT(device.memory.type, HasSubstr("GDDR")) << device.name;
  }
}

// RTX A6000 and A40 are one chip with as much memory; the A40 has ECC on by default.
TEST(UsableMemory, OneBoardWithEccIsTheOtherWithout) {
  EXPECT_NEAR(usable("rtx-a6000", "on") / usable("a40"), 1, 0.002);
  EXPECT_NEAR(usable("a40", "off") / usable("rtx-a6000"), 1, 0.002);
  EXPECT_EQ(usable("a40", "on").si(), usable("a40").si());
}

TEST(UsableMemory, OfAnUnknownBoardIsItsCapacity) {
  DeviceSpec spec = DeviceCatalog::shipped_device("t4");
  const Bytes nominal = spec.memory.capacity->value;
  spec.name = "my-board";
  const DeviceSpec out = with_usable_memory(spec, shipped_usable_memory(), {});
  EXPECT_EQ(out.memory.capacity->value.si(), nominal.si());
}

std::string refusal(const std::string& device, const std::string& ecc) {
  try {
    usable(device, ecc);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(UsableMemory, RefusesAModeWhereThereIsNone) {
  EXPECT_THAT(refusal("v100-sxm2-16g", "off"), HasSubstr("rtx-a6000"));
  EXPECT_THAT(refusal("t4", "maybe"), HasSubstr("--set ecc=maybe: expected on or off"));
}

TEST(UsableMemory, RefusesABoardTwiceAndASourceThatIsNotThere) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& devices) -> std::string {
    const std::filesystem::path file = folder.path() / "usable.json";
    std::ofstream(file) << R"({"schema": "paceline.usable-memory/1", "sources": {"a": "somebody"},
      "ecc": {"share": 0.0625, "source": "somebody"}, "devices": [)" +
                               devices + "]}";
    try {
      read_usable_memory(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::string t4 = R"({"device": "t4", "usable": "15109 MiB", "ecc": "on", "source": "a"})";
  EXPECT_EQ(read(t4), "nothing");
  EXPECT_THAT(read(t4 + "," + t4), HasSubstr("\"t4\" stands here twice"));
  EXPECT_THAT(read(R"({"device": "t4", "usable": "1 GiB", "source": "b"})"), HasSubstr("source"));
}

}  // namespace
}  // namespace paceline
