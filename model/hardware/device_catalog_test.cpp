#include "model/hardware/device_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/error.h"
#include "core/temporary_folder.h"

namespace paceline {
namespace {

using testing::HasSubstr;

const DeviceCatalog& catalog() {
  static const DeviceCatalog shipped = DeviceCatalog::shipped();
  return shipped;
}

// Data sheets round to two or three digits.
constexpr double kRounding = 0.03;

// Names that users and scripts rely on.
TEST(DeviceCatalog, HoldsEveryPromisedDevice) {
  for (const char* name : {"gtx-780",       "k40m",          "k80",
                           "m40",           "gtx-980",       "titan-x-maxwell",
                           "gtx-1080",      "gtx-1080-ti",   "titan-x-pascal",
                           "titan-xp",      "p4000",         "p4",
                           "p40",           "p100-pcie",     "p100-sxm2",
                           "v100-pcie-16g", "v100-pcie-32g", "v100-sxm2-16g",
                           "v100-sxm2-32g", "titan-v",       "t4",
                           "rtx-2080-ti",   "titan-rtx",     "rtx-6000",
                           "rtx-3090",      "rtx-4090",      "rtx-5090",
                           "a10",           "a30",           "a40",
                           "rtx-a6000",     "a100-pcie-40g", "a100-pcie-80g",
                           "a100-sxm-40g",  "a100-sxm-80g",  "l4",
                           "l40",           "l40s",          "rtx-6000-ada",
                           "rtx-pro-6000",  "h100-pcie",     "h100-sxm",
                           "h200-sxm",      "gh200",         "b200-sxm",
                           "gb200",         "b300-sxm",      "gb300",
                           "mi100",         "mi210",         "mi250x",
                           "mi300x",        "i7-3820",       "e5-2630-v3",
                           "e5-2630-v4",    "power8"}) {
    EXPECT_EQ(catalog().at(name).name, name);
  }
}

TEST(DeviceCatalog, AnswersToWhatToolsAndPapersPrint) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"Tesla V100-SXM2-16GB", "v100-sxm2-16g"},
      {"V100_SXM2_16g", "v100-sxm2-16g"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm"},
      {"NVIDIA H200", "h200-sxm"},
      {"NVIDIA A100-SXM4-80GB", "a100-sxm-80g"},
      {"NVIDIA A100 80GB PCIe", "a100-pcie-80g"},
      {"NVIDIA GeForce GTX 1080 Ti", "gtx-1080-ti"},
      {"GeForce GTX TITAN X", "titan-x-maxwell"},
      {"NVIDIA TITAN X (Pascal)", "titan-x-pascal"},
      {"Tesla K80", "k80"},
      {"Quadro RTX 6000", "rtx-6000"},
      {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"},
      {"AMD Instinct MI300X", "mi300x"},
      {"Intel(R) Core(TM) i7-3820 CPU @ 3.60GHz", "i7-3820"},
      {"Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz", "e5-2630-v3"}};
  for (const auto& [printed, name] : expected) EXPECT_EQ(catalog().at(printed).name, name);
}

std::string message_for(std::string_view name) {
  try {
    return "found " + catalog().at(name).name;
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(DeviceCatalog, AnswersTheBeginningOfSeveralNamesWithAllOfThem) {
  EXPECT_EQ(message_for("a100-sxm"),
            "device \"a100-sxm\" is not one device; choose a100-sxm-40g, a100-sxm-80g");
}

TEST(DeviceCatalog, AnswersAnUnknownNameWithTheNearest) {
  EXPECT_THAT(message_for("gtx-1081"), HasSubstr("did you mean gtx-1080"));
  EXPECT_THAT(message_for(""), HasSubstr("unknown device \"\""));
}

// fp32 peak of the vector units = multiprocessors x FLOP per clock x clock; a CPU's peak is quoted
// at its base clock.
TEST(DeviceCatalog, VectorPeaksAreLanesTimesClock) {
  for (const DeviceSpec& device : catalog().devices()) {
    const Hertz clock = device.kind == DeviceKind::kCpu ? device.base_clock.value().value
                                                        : device.boost_clock.value;
    const double expected =
        static_cast<double>(device.multiprocessors.value * device.vector_flop_per_clock.value) *
        clock.si();
    EXPECT_NEAR(device.vector_peak.value.si() / expected, 1, kRounding) << device.name;
  }
}

// Memory bandwidth = bus width x rate of a pin.
TEST(DeviceCatalog, MemoryBandwidthIsBusTimesRate) {
  for (const DeviceSpec& device : catalog().devices()) {
    const BytesPerSecond expected =
        device.memory.data_rate.value * static_cast<double>(device.memory.bus_width.value);
    EXPECT_NEAR(device.memory.bandwidth.value / expected, 1, kRounding) << device.name;
  }
}

// Matrix units do a power of two of FLOP per clock and multiprocessor; no sheet prints more than
// that at the clock it names, and none prints less than 90 % of it.
TEST(DeviceCatalog, MatrixPeaksAreAPowerOfTwoPerClock) {
  for (const DeviceSpec& device : catalog().devices()) {
    for (const auto& [precision, peak] : device.matrix_peak) {
      if (precision == Precision::kFp32) continue;
      const Hertz clock = device.matrix_clock.value_or(device.boost_clock).value;
      const double per_clock =
          peak.value.si() / clock.si() / static_cast<double>(device.multiprocessors.value);
      // The smallest power of two that is not more than 2 % too small.
      const double full = std::exp2(std::ceil(std::log2(per_clock / 1.02)));
      EXPECT_GT(per_clock, 0.9 * full) << device.name << " " << to_string(precision) << ": "
                                       << per_clock << " FLOP per clock and multiprocessor";
    }
  }
}

TEST(DeviceCatalog, KnowsWhichProductsRunOnMatrixUnits) {
  EXPECT_TRUE(catalog().at("v100-sxm2-16g").uses_matrix_units(Precision::kFp16));
  EXPECT_FALSE(catalog().at("v100-sxm2-16g").uses_matrix_units(Precision::kFp32));
  EXPECT_FALSE(catalog().at("p100-sxm2").uses_matrix_units(Precision::kFp16));
  EXPECT_TRUE(catalog().at("mi210").uses_matrix_units(Precision::kFp32));
}

// Narrower types are never slower: fp8 >= 16-bit >= tf32 >= fp32.
TEST(DeviceCatalog, NarrowerTypesAreNotSlower) {
  for (const DeviceSpec& device : catalog().devices()) {
    double slowest = 0;
    for (const Precision precision :
         {Precision::kFp32, Precision::kTf32, Precision::kFp16, Precision::kFp8}) {
      const auto found = device.matrix_peak.find(precision);
      if (found == device.matrix_peak.end()) continue;
      EXPECT_GE(found->second.value.si(), slowest) << device.name;
      slowest = found->second.value.si();
    }
  }
}

TEST(DeviceCatalog, NamesTheSourceOfEveryFact) {
  for (const DeviceSpec& device : catalog().devices()) {
    for (const std::string* source :
         {&device.multiprocessors.source, &device.vector_peak.source, &device.boost_clock.source,
          &device.memory.bandwidth.source, &device.memory.bus_width.source,
          &device.last_level_cache.source, &device.power.source,
          &device.host_link.generation.source}) {
      EXPECT_GT(source->size(), 10u) << device.name;
    }
    EXPECT_EQ(device.kind == DeviceKind::kGpu, device.memory.capacity.has_value()) << device.name;
  }
}

TEST(DeviceCatalog, RefusesANameThatMeansTwoDevices) {
  const TemporaryFolder folder;
  const std::filesystem::path shipped =
      std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog/devices/t4.json";
  std::filesystem::copy_file(shipped, folder / "t4.json");
  std::string copy = read_text_file(shipped);
  copy.replace(copy.find("\"t4\""), 4, "\"t5\"");
  copy.replace(copy.find("\"aliases\": ["), 12, "\"aliases\": [\"Tesla T4\"");
  std::ofstream(folder / "t5.json") << copy;
  try {
    DeviceCatalog::load(folder.path());
    FAIL() << "two devices shared a name";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"Tesla T4\" of t5 already stands for t4"));
  }
}

// What was measured on one device stands for another only if they can be the same chip.
TEST(DeviceCatalog, RefusesAChipThatCannotBeTheSame) {
  const TemporaryFolder folder;
  const std::filesystem::path devices =
      std::filesystem::path(PACELINE_SOURCE_DIR) / "model/catalog/devices";
  std::filesystem::copy_file(devices / "t4.json", folder / "t4.json");
  std::string l40 = read_text_file(devices / "l40.json");
  l40.replace(l40.find("\"l40s\""), 6, "\"t4\"");
  std::ofstream(folder / "l40.json") << l40;
  try {
    DeviceCatalog::load(folder.path());
    FAIL() << "an Ada board had the chip of a T4";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("l40/same_chip: \"t4\" is no other device of"));
  }
}

std::string refusal_beside(const DeviceSpec& device) {
  try {
    check_beside(catalog(), device, "mine.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// It would be given the parameters that were measured on the device of the catalog.
TEST(DeviceCatalog, RefusesADeviceOfAFileWithANameOfItsOwn) {
  DeviceSpec device = catalog().at("t4");
  device.name = "my-t4";
  EXPECT_EQ(refusal_beside(device), "nothing was thrown");
  for (const char* name : {"t4", "T4", "tesla-t4"}) {
    device.name = name;
    EXPECT_THAT(refusal_beside(device),
                HasSubstr("mine.json:/name: \"" + device.name + "\" stands for t4 of the catalog"));
  }
}

TEST(DeviceCatalog, RefusesAChipOfADeviceOfAFileThatItDoesNotHold) {
  DeviceSpec device = catalog().at("l40");
  device.name = "my-l40";
  EXPECT_EQ(refusal_beside(device), "nothing was thrown");
  device.same_chip->value = {"l40x"};
  EXPECT_THAT(refusal_beside(device), HasSubstr("mine.json:/same_chip/devices: unknown device of "
                                                "the catalog \"l40x\"; did you mean l40"));
  device.same_chip->value = {"my-l40"};
  EXPECT_THAT(refusal_beside(device), HasSubstr("this is the device itself"));
}

// It would be ignored: what was measured on such a device does not hold here.
TEST(DeviceCatalog, RefusesAChipOfADeviceOfAFileThatCannotBeTheSame) {
  DeviceSpec device = catalog().at("l40");
  device.name = "my-l40";
  device.same_chip->value = {"t4"};
  EXPECT_THAT(refusal_beside(device), HasSubstr("mine.json:/same_chip/devices: \"t4\" is a gpu of "
                                                "architecture turing with 40 multiprocessors; "
                                                "expected a gpu of architecture ada"));
  device.same_chip->value = {"l40s", "e5-2630-v3"};
  EXPECT_THAT(refusal_beside(device), HasSubstr("\"e5-2630-v3\" is a cpu"));
  device.same_chip->value = {"l40s"};
  device.multiprocessors.value -= 1;
  EXPECT_THAT(refusal_beside(device), HasSubstr("\"l40s\" is a gpu"));
}

TEST(DeviceCatalog, RefusesAFolderWithoutDevices) {
  EXPECT_THROW(DeviceCatalog::load("/nonexistent"), InputError);
}

}  // namespace
}  // namespace paceline
