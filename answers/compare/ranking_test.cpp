#include "answers/compare/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "answers/compare/varying.h"
#include "core/error.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Report report(const char* device, double median, double half_width, bool fits = true) {
  Report r;
  r.experiment.model = "resnet50";
  r.experiment.batch = 8;
  r.experiment.device = device;
  r.throughput_samples_per_s = {median, median - half_width, median + half_width};
  r.iteration_time_s = {8 / median, 8 / median, 8 / median};
  r.memory.weights = 2;
  r.memory.capacity = fits ? 4 : 1;
  return r;
}

std::vector<std::size_t> order(const std::vector<RankedPoint>& ranking) {
  std::vector<std::size_t> out;
  for (const RankedPoint& point : ranking) out.push_back(point.index);
  return out;
}
std::vector<std::size_t> ranks(const std::vector<RankedPoint>& ranking) {
  std::vector<std::size_t> out;
  for (const RankedPoint& point : ranking) out.push_back(point.rank);
  return out;
}

class Prices : public testing::Test {
 protected:
  PriceList read(const std::string& devices, const std::string& date = "2026-11-30") {
    write_text_file(file_, R"({"schema": "paceline.prices/1", "date": ")" + date +
                               R"(", "source": "test", "devices": )" + devices + "}");
    return PriceList::read(file_);
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "prices.json";
};

// 100 +- 5 and 97 +- 5 overlap; 80 +- 5 overlaps with neither.
TEST(Ranking, PointsWhoseIntervalsOverlapShareARank) {
  const std::vector<Report> reports = {report("t4", 80, 5), report("p40", 97, 5),
                                       report("p4", 100, 5)};
  const auto ranking = rank_points(reports, RankBy::kThroughput, nullptr);
  EXPECT_THAT(order(ranking), ElementsAre(2, 1, 0));
  EXPECT_THAT(ranks(ranking), ElementsAre(1, 1, 3));
  EXPECT_TRUE(ranking[0].tied);
  EXPECT_FALSE(ranking[2].tied);
  EXPECT_THAT(ranking_table(reports, ranking, nullptr).to_string(), HasSubstr("1="));
}

// The same devices with every kernel of one family: 100 +- 20 and 80 +- 16 are one number times
// the same unknown, so that their ratio is known.
TEST(Ranking, PointsThatErrTogetherAreToldApartThoughTheirIntervalsOverlap) {
  std::vector<Report> reports = {report("t4", 80, 16), report("t4", 100, 20)};
  EXPECT_THAT(ranks(rank_points(reports, RankBy::kThroughput, nullptr)), ElementsAre(1, 1));
  ErrorShares family;
  family.add("gemm of t4", 1);
  family.finish();
  for (Report& r : reports) r.computing_errors = std::make_shared<const ErrorShares>(family);
  const auto ranking = rank_points(reports, RankBy::kThroughput, nullptr);
  EXPECT_THAT(ranks(ranking), ElementsAre(1, 2));
  ASSERT_TRUE(ranking[1].comparison);
  EXPECT_EQ(ranking[1].comparison->with, 1u);
  EXPECT_DOUBLE_EQ(ranking[1].comparison->ratio.median, 0.8);
  EXPECT_FALSE(ranking[0].comparison);
}

// 100 +- 2 and 90 +- 2 are told apart; of 85 +- 40 nobody knows whether it is the best.
TEST(Ranking, APointThatMayBeTheBestSharesTheFirstRankWhateverStandsAboveIt) {
  const std::vector<Report> reports = {report("p4", 100, 2), report("p40", 90, 2),
                                       report("t4", 85, 40)};
  EXPECT_THAT(ranks(rank_points(reports, RankBy::kThroughput, nullptr)), ElementsAre(1, 2, 1));
}

TEST(Ranking, DoesNotDependOnTheOrderInWhichPointsAreGiven) {
  const std::vector<Report> reports = {report("p4", 100, 2), report("p40", 90, 2),
                                       report("t4", 85, 40), report("k80", 30, 3)};
  const std::vector<Report> reversed(reports.rbegin(), reports.rend());
  EXPECT_EQ(ranks(rank_points(reports, RankBy::kThroughput, nullptr)),
            ranks(rank_points(reversed, RankBy::kThroughput, nullptr)));
}

TEST(Ranking, WhatDoesNotFitComesLast) {
  const std::vector<Report> reports = {report("t4", 200, 1, false), report("p4", 100, 1)};
  EXPECT_THAT(order(rank_points(reports, RankBy::kThroughput, nullptr)), ElementsAre(1, 0));
}

// 100 samples/s at 1 USD/h are 360,000 samples per USD; 150 at 2 USD/h are 270,000.
TEST_F(Prices, TurnThroughputIntoSamplesPerMoney) {
  const PriceList prices = read(R"({"t4": "1 USD/h", "Tesla P40": "2 USD/h"})");
  const std::vector<Report> reports = {report("p40", 150, 1), report("t4", 100, 1)};
  const auto ranking = rank_points(reports, RankBy::kSamplesPerMoney, &prices);
  EXPECT_THAT(order(ranking), ElementsAre(1, 0));
  EXPECT_DOUBLE_EQ(ranking[0].samples_per_money->median, 360000);
  EXPECT_DOUBLE_EQ(ranking[1].samples_per_money->median, 270000);
}

TEST_F(Prices, AreRefusedWithoutDateUnitDeviceOrWithTwoCurrencies) {
  EXPECT_THROW(read(R"({"t4": "1 USD"})"), InputError);
  EXPECT_THROW(read(R"({"t4": "1 /h"})"), InputError);
  EXPECT_THROW(read(R"({"t4": "-1 USD/h"})"), InputError);
  EXPECT_THROW(read(R"({"t44": "1 USD/h"})"), InputError);
  EXPECT_THROW(read(R"({"t4": "1 USD/h", "p4": "1 EUR/h"})"), InputError);
  EXPECT_THROW(read("{}"), InputError);
  EXPECT_THROW(read(R"({"t4": "1 USD/h"})", "last year"), InputError);
  const PriceList prices = read(R"({"t4": "1 USD/h"})");
  EXPECT_THROW(rank_points({report("p4", 1, 0)}, RankBy::kSamplesPerMoney, &prices), InputError);
}

TEST(Money, IsReadAsPeopleWriteIt) {
  EXPECT_DOUBLE_EQ(parse_money("--budget", "$120,000").amount, 120000);
  EXPECT_DOUBLE_EQ(parse_money("--budget", "50k EUR").amount, 50000);
  EXPECT_EQ(parse_money("--budget", "50k EUR").currency, "EUR");
  for (const char* text : {"", "$", "5", "-5 USD", "$5 USD", "5 dollars", "nan USD", "$1e9999"}) {
    EXPECT_THROW(parse_money("--budget", text), UsageError) << text;
  }
}

TEST(VaryingKeys, AreThoseThatDifferOptionsIncluded) {
  std::vector<Report> reports = {report("t4", 1, 0), report("t4", 1, 0)};
  EXPECT_TRUE(varying_keys(reports).empty());
  reports[1].experiment.batch = 16;
  reports[1].experiment.options["servers"] = "4";
  const auto keys = varying_keys(reports);
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].name, "batch");
  EXPECT_TRUE(keys[0].counts);
  EXPECT_THAT(keys[1].values, ElementsAre("-", "4"));
}

}  // namespace
}  // namespace paceline
