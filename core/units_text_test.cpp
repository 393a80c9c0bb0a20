#include "core/units_text.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

TEST(UnitsText, BitsBytesAndBinaryPrefixesAreDistinct) {
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("25 Gb/s").si(), 25e9 / 8);
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("25 Gbps").si(), 25e9 / 8);
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("3 GBps").si(), 3e9);
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("25 GB/s").si(), 25e9);
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("1GiB/s").si(), 0x1p30);
  EXPECT_DOUBLE_EQ(parse_bytes_per_second("4x100 Gb/s").si(), 50e9);
  EXPECT_DOUBLE_EQ(parse_bytes("8 MiB").si(), 8 * 0x1p20);
  EXPECT_DOUBLE_EQ(parse_bytes("8 MB").si(), 8e6);
}

TEST(UnitsText, ReadsTimesRatesAndFrequencies) {
  EXPECT_DOUBLE_EQ(parse_seconds("5us").si(), 5e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("14d").si(), 14 * 86400.0);
  EXPECT_DOUBLE_EQ(parse_flops_per_second("60 TFLOP/s").si(), 60e12);
  EXPECT_DOUBLE_EQ(parse_samples_per_second("253.1 samples/s").si(), 253.1);
  EXPECT_DOUBLE_EQ(parse_hertz("1.98 GHz").si(), 1.98e9);
}

TEST(UnitsText, RefusesMissingUnknownAndNegative) {
  for (const char* text :
       {"", "12", "GB/s", "12 GBps/s", "-1 GB/s", "nan GB/s", "inf GB/s", "1 s"}) {
    EXPECT_THROW(parse_bytes_per_second(text), UsageError) << text;
  }
  for (const char* text : {"5", "5 m", "5 sec", "1e999 s"}) {
    EXPECT_THROW(parse_seconds(text), UsageError) << text;
  }
}

TEST(UnitsText, TheMessageNamesTextUnitAndWhatIsAllowed) {
  try {
    parse_bytes_per_second("450 GBytes");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "bandwidth \"450 GBytes\" has the unknown unit \"GBytes\"; use B/s, GB/s, GiB/s, "
                 "Gb/s");
  }
}

TEST(UnitsText, PrintsThreeSignificantDigits) {
  EXPECT_EQ(to_text(Seconds(0.01234)), "12.3 ms");
  EXPECT_EQ(to_text(Seconds(1.5)), "1.50 s");
  EXPECT_EQ(to_text(BytesPerSecond(1.5e9)), "1.50 GB/s");
  EXPECT_EQ(to_text(Bytes(102228128)), "102 MB");
  EXPECT_EQ(significant(0), "0");
}

}  // namespace
}  // namespace paceline
