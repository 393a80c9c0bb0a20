#include "model/hardware/device_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace paceline {
namespace {

using testing::HasSubstr;

constexpr std::string_view kDevice = R"({
  "schema": "paceline.device/1", "name": "example", "title": "Example", "kind": "gpu",
  "architecture": "kepler", "released": 2014, "aliases": ["Example One"],
  "sources": {"sheet": "data sheet, first edition", "other": "a page that copied it"},
  "multiprocessors": {"value": 10, "source": "sheet"},
  "vector_flop_per_clock": {"value": 256, "source": "sheet"},
  "boost_clock": {"value": "1 GHz", "source": "sheet"},
  "vector_peak": {"value": "2.56 TFLOP/s", "source": "sheet"},
  "matrix_units": false,
  "matrix_peak": {"fp32": {"value": "2.56 TFLOP/s", "source": "sheet"}},
  "last_level_cache": {"value": "2 MiB", "source": "sheet"},
  "memory": {"type": "GDDR5", "bandwidth": {"value": "224 GB/s", "source": "sheet"},
             "bus_width_bits": {"value": 256, "source": "sheet"},
             "data_rate": {"value": "7 Gb/s", "source": "sheet"}},
  "power": {"value": "165 W", "source": "sheet"},
  "host_link": {"generation": {"value": 3, "source": "sheet"},
                "lanes": {"value": 16, "source": "sheet"}},
  "conflicts": [{"field": "memory/bandwidth", "value": "448 GB/s", "source": "other",
                 "why_not_used": "twice what the bus gives"}]
})";

DeviceSpec read(std::string_view text) {
  const JsonDocument document = parse_json(text, "example.json", "paceline.device/1");
  return read_device(document.root());
}

// The example with its one `from` replaced by `to`.
std::string with(std::string_view from, std::string_view to) {
  std::string text(kDevice);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string message_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(DeviceSpec, ReadsValuesWithUnitsAndSources) {
  const DeviceSpec spec = read(kDevice);
  EXPECT_EQ(spec.multiprocessors.value, 10);
  EXPECT_DOUBLE_EQ(spec.boost_clock.value.si(), 1e9);
  EXPECT_DOUBLE_EQ(spec.memory.bandwidth.value.si(), 224e9);
  // Bits on the wire, bytes inside: 7 Gb/s of one pin are 0.875 GB/s.
  EXPECT_DOUBLE_EQ(spec.memory.data_rate.value.si(), 0.875e9);
  EXPECT_DOUBLE_EQ(spec.power.value.value, 165);
  EXPECT_EQ(spec.power.source, "data sheet, first edition");
  EXPECT_FALSE(spec.peer_links.has_value());
}

TEST(DeviceSpec, KeepsAContradictingValueApartWithTheReason) {
  const DeviceSpec spec = read(kDevice);
  ASSERT_EQ(spec.conflicts.size(), 1u);
  EXPECT_EQ(spec.conflicts[0].source, "a page that copied it");
  EXPECT_EQ(spec.conflicts[0].why_not_used, "twice what the bus gives");
}

TEST(DeviceSpec, RefusesArithmeticTheDeviceDoesNotHave) {
  const DeviceSpec spec = read(kDevice);
  EXPECT_DOUBLE_EQ(spec.peak(Precision::kFp32).si(), 2.56e12);
  try {
    spec.peak(Precision::kBf16);
    FAIL() << "a device without bf16 gave a bf16 peak";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "example has no bf16 arithmetic; it has fp32");
  }
}

TEST(DeviceSpec, RefusesAFactWithoutAKnownSource) {
  EXPECT_THAT(message_of(with(R"("2 MiB", "source": "sheet")", R"("2 MiB", "source": "shet")")),
              HasSubstr("example.json:/last_level_cache/source: unknown source \"shet\""));
  EXPECT_THAT(message_of(with(R"("2 MiB", "source": "sheet")", R"("2 MiB")")),
              HasSubstr("example.json:/last_level_cache/source: missing"));
}

TEST(DeviceSpec, RefusesASourceThatNothingCites) {
  EXPECT_THAT(message_of(with(R"("other": "a page)", R"("spare": "unused", "other": "a page)")),
              HasSubstr("unknown key \"spare\""));
}

TEST(DeviceSpec, RefusesANumberWithoutUnitAnUnknownPrecisionAndAnImpossibleValue) {
  EXPECT_THAT(message_of(with(R"("165 W")", R"("165")")),
              HasSubstr("/power/value: expected a power"));
  EXPECT_THAT(message_of(with(R"("1 GHz")", R"("1000")")), HasSubstr("/boost_clock/value"));
  EXPECT_THAT(message_of(with(R"({"fp32")",
                              R"({"fp23": {"value": "1 TFLOP/s", "source": "sheet"}, "fp32")")),
              HasSubstr("fp23"));
  EXPECT_THAT(message_of(with(R"("value": 256, "source": "sheet"},
             "data_rate")",
                              R"("value": 0, "source": "sheet"},
             "data_rate")")),
              HasSubstr("bus_width_bits/value: expected a positive number"));
}

// Products of such values overflow; they would come out as negative, infinite or no numbers.
TEST(DeviceSpec, RefusesValuesThatNoDeviceHas) {
  EXPECT_THAT(message_of(with(R"("2 MiB")", R"("1e300 GB")")),
              HasSubstr("example.json:/last_level_cache/value: expected 1 B to 1 EB, found "
                        "\"1e300 GB\""));
  EXPECT_THAT(message_of(with(R"("224 GB/s")", R"("1e308 GB/s")")),
              HasSubstr("/memory/bandwidth/value: expected 1 kB/s to 1 EB/s"));
  EXPECT_THAT(message_of(with(R"("224 GB/s")", R"("0 GB/s")")), HasSubstr("found \"0 GB/s\""));
  EXPECT_THAT(message_of(with(R"("2.56 TFLOP/s")", R"("1e300 TFLOP/s")")),
              HasSubstr("/vector_peak/value: expected 1 MFLOP/s to 1e24 FLOP/s"));
  EXPECT_THAT(message_of(with(R"("1 GHz")", R"("101 GHz")")), HasSubstr("1 MHz to 100 GHz"));
  EXPECT_THAT(message_of(with(R"("1 GHz")", R"("1 Hz")")), HasSubstr("1 MHz to 100 GHz"));
  EXPECT_THAT(message_of(with(R"("165 W")", R"("inf W")")), HasSubstr("at most 1 MW"));
  EXPECT_THAT(message_of(with(R"("165 W")", R"("nan W")")), HasSubstr("at most 1 MW"));
  EXPECT_THAT(message_of(with(R"("multiprocessors": {"value": 10,)",
                              R"("multiprocessors": {"value": 4611686018427387904,)")),
              HasSubstr("found 4611686018427387904"));
}

TEST(DeviceSpec, RefusesANameThatIsNone) {
  for (const std::string& name :
       {std::string(), std::string("my gpu"), std::string("../t4"), std::string(65, 'a')}) {
    EXPECT_THAT(message_of(with(R"("name": "example")", "\"name\": \"" + name + "\"")),
                HasSubstr("example.json:/name: expected 1 to 64 letters, digits and \"-._\""));
  }
  EXPECT_EQ(read(with(R"("name": "example")", R"("name": "My_gpu-1.5")")).name, "My_gpu-1.5");
}

}  // namespace
}  // namespace paceline
