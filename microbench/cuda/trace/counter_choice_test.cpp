// Which counters are sampled, asked of CUPTI for every chip it knows; that needs no GPU.
#include "microbench/cuda/trace/counter_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

#include "microbench/cuda/trace/chip_metrics.h"
#include "microbench/cuda/trace/cupti_error.h"

namespace paceline::cuda_trace {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> metrics_of(const CounterChoice& choice) {
  std::vector<std::string> out;
  for (const CounterMetric& metric : choice.chosen) out.push_back(metric.metric);
  return out;
}

// Chips from Turing on that can be sampled; empty where CUPTI's library for that is not installed.
std::vector<std::string> sampled_chips() {
  std::vector<std::string> out;
  try {
    for (const std::string& chip : ChipMetrics::chips()) {
      if (!chip.starts_with("GV")) out.push_back(chip);
    }
  } catch (const CuptiError&) {
  }
  return out;
}

// Memory of these is the processor's, which the chip does not count.
bool shares_host_memory(const std::string& chip) {
  return std::set<std::string>{"GA10B", "GB10B", "GB20B"}.contains(chip);
}

TEST(CountersOfChips, OfDefaultFitOnePassOnEveryChipFromTuringToBlackwell) {
  const std::vector<std::string> chips = sampled_chips();
  if (chips.empty()) GTEST_SKIP() << "CUPTI knows no chip that can be sampled";
  EXPECT_THAT(chips, testing::IsSupersetOf(
                         {"TU102", "TU104", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202"}));
  for (const std::string& chip : chips) {
    const ChipMetrics metrics(chip);
    const CounterChoice choice = choose_counters(
        default_counters(), [&](const auto& names) { return metrics.passes(names); });
    EXPECT_EQ(metrics.passes(metrics_of(choice)), 1) << chip;
    std::vector<std::string> names;
    for (const CounterMetric& metric : choice.chosen) names.push_back(metric.name);
    EXPECT_THAT(names, Contains("sm active")) << chip;
    EXPECT_THAT(names, Contains("l2")) << chip;
    EXPECT_THAT(names, Contains(testing::EndsWith(" active")).Times(2)) << chip;
    if (shares_host_memory(chip)) continue;
    EXPECT_THAT(names,
                testing::IsSupersetOf({"dram read", "dram write", "pcie read", "pcie write"}))
        << chip;
    for (const std::string& left_out : choice.left_out) {
      EXPECT_THAT(left_out, testing::StartsWith("nvlink-")) << chip;
      EXPECT_THAT(left_out, HasSubstr("no such counter")) << chip;
    }
  }
}

// Of the chips that training runs on.
TEST(CountersOfChips, OfDataCentresIncludeNvlinkAndTheTensorCoresAlone) {
  if (sampled_chips().empty()) GTEST_SKIP() << "CUPTI knows no chip that can be sampled";
  for (const char* chip : {"GA100", "GH100", "GB100"}) {
    const ChipMetrics metrics(chip);
    const CounterChoice choice = choose_counters(
        default_counters(), [&](const auto& names) { return metrics.passes(names); });
    EXPECT_THAT(choice.left_out, IsEmpty()) << chip;
    EXPECT_THAT(choice.chosen, Contains(Field(&CounterMetric::name, "tensor active"))) << chip;
    EXPECT_FALSE(metrics.configuration(metrics_of(choice)).empty());
  }
}

TEST(CountersOfChips, ThatDoNotExistAreNoPassesAndUnknownChipsAnError) {
  if (sampled_chips().empty()) GTEST_SKIP() << "CUPTI knows no chip that can be sampled";
  EXPECT_EQ(ChipMetrics("GH100").passes({"dram__no_such_thing.sum"}), 0);
  EXPECT_EQ(ChipMetrics("AD102").passes({"nvlrx__bytes.sum"}), 0);
  EXPECT_THAT(error_of([] { ChipMetrics chip("XY123"); }),
              HasSubstr("no counters of XY123: CUPTI_"));
  EXPECT_THROW(ChipMetrics("GH100").configuration({"dram__no_such_thing.sum"}), CuptiError);
}

// A chip with room for two counters that lacks the first name of "a".
int two_at_most(const std::vector<std::string>& metrics) {
  if (std::find(metrics.begin(), metrics.end(), "a1") != metrics.end()) return 0;
  return metrics.size() <= 2 ? 1 : 2;
}

TEST(ChooseCounters, TakesTheFirstNameThatExistsAndWhatFitsInOrder) {
  const std::vector<CounterRequest> requests = {{"a", {{"a", "", "a1"}, {"a", "", "a2"}}},
                                                {"none", {{"none", "", "a1"}}},
                                                {"b", {{"b", "", "b"}}},
                                                {"c", {{"c", "", "c"}}}};
  const CounterChoice choice = choose_counters(requests, two_at_most);
  EXPECT_THAT(metrics_of(choice), ElementsAre("a2", "b"));
  EXPECT_THAT(choice.left_out, ElementsAre("none: the chip has no such counter",
                                           "c: does not fit one pass with the others"));
}

TEST(ParseCounters, ReadsNamesMetricsAndTheDefaultOnceEach) {
  EXPECT_THAT(parse_counters("default"), SizeIs(default_counters().size()));
  EXPECT_THAT(parse_counters("default, dram-read ,l2"), SizeIs(default_counters().size()));
  const std::vector<CounterRequest> got = parse_counters(
      "sm-active,lts__t_sectors.sum,dram__bytes_read.sum.per_second,"
      "sm__inst_executed.avg.pct_of_peak_sustained_elapsed");
  ASSERT_THAT(got, SizeIs(4));
  EXPECT_EQ(got[0].alternatives.at(0).name, "sm active");
  EXPECT_EQ(got[1].alternatives.at(0).unit, "1/s");
  EXPECT_EQ(got[1].alternatives.at(0).scale, Scale::kPerSecond);
  EXPECT_EQ(got[2].alternatives.at(0).unit, "B/s");
  EXPECT_EQ(got[2].alternatives.at(0).scale, Scale::kAsIs);
  EXPECT_EQ(got[3].alternatives.at(0).scale, Scale::kPercent);
}

TEST(ParseCounters, RefusesTheRestWithWhatIsAllowed) {
  for (const char* text : {"", "default,", "drum-read", "dram__bytes_read"}) {
    EXPECT_THAT(error_of([&] { parse_counters(text); }), HasSubstr("is none of default, dram-read"))
        << text;
  }
}

TEST(ParsePeriod, ReadsTimesBetweenAMicrosecondAndASecond) {
  EXPECT_EQ(parse_period_ns("100us"), 100'000u);
  EXPECT_EQ(parse_period_ns(" 0.5 ms "), 500'000u);
  EXPECT_EQ(parse_period_ns("1s"), 1'000'000'000u);
  for (const char* text : {"", "100", "us", "-1ms", "2s", "10ns", "nan us", "1 hour"}) {
    EXPECT_THAT(error_of([&] { parse_period_ns(text); }), HasSubstr("is no time from 1us to 1s"))
        << text;
  }
}

// 50 kB in 100 us are 500 MB/s.
TEST(ScaledValue, IsARateAShareOrTheValue) {
  EXPECT_DOUBLE_EQ(*scaled_value(Scale::kPerSecond, 50e3, 100'000), 500e6);
  EXPECT_DOUBLE_EQ(*scaled_value(Scale::kPercent, 25, 100'000), 0.25);
  EXPECT_DOUBLE_EQ(*scaled_value(Scale::kAsIs, 7, 0), 7);
  EXPECT_FALSE(scaled_value(Scale::kPerSecond, 50e3, 0));
  EXPECT_FALSE(scaled_value(Scale::kAsIs, std::numeric_limits<double>::quiet_NaN(), 1));
}

}  // namespace
}  // namespace paceline::cuda_trace
