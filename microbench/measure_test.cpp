#include "microbench/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/temporary_folder.h"

namespace paceline {
namespace {

using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

class Measure : public testing::Test {
 protected:
  Measure() {
    options_.only = {"openmp.fork_join"};
    options_.threads = {1};
    options_.file = folder_ / "measurements.json";
  }
  std::string message() {
    try {
      measure(options_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
  MeasureOptions options_;
};

TEST_F(Measure, WritesWhatItReturnsAndAddsRounds) {
  const MeasurementSet first = measure(options_);
  EXPECT_EQ(read_measurements(options_.file).results, first.results);
  options_.append = true;
  const MeasurementSet second = measure(options_);
  ASSERT_THAT(second.results, SizeIs(1));
  EXPECT_THAT(second.results[0].rounds, SizeIs(2));
  EXPECT_EQ(second.results[0].rounds[0], first.results[0].rounds[0]);
}

TEST_F(Measure, StartsAfreshUnlessAskedToAppend) {
  measure(options_);
  EXPECT_THAT(measure(options_).results, Each(Field(&Measurement::rounds, SizeIs(1))));
}

TEST_F(Measure, RefusesToAddToAnotherMachinesFile) {
  MeasurementSet other;
  other.provenance = make_provenance("paceline measure", {});
  other.provenance.host.cpu = "Another CPU";
  write_measurements(options_.file, other);
  options_.append = true;
  EXPECT_THAT(message(), HasSubstr("another machine (Another CPU"));
}

TEST_F(Measure, StopsWhenTheTimeIsSpentAndSaysSo) {
  options_.time_budget = Seconds(0);
  const MeasurementSet set = measure(options_);
  EXPECT_THAT(set.results, SizeIs(0));
  EXPECT_THAT(set.warnings, testing::Contains(HasSubstr("time budget spent")));
}

TEST_F(Measure, RefusesImpossibleOptions) {
  options_.rounds = 0;
  EXPECT_THAT(message(), HasSubstr("rounds 0"));
  options_.rounds = 1;
  options_.threads = {0};
  EXPECT_THAT(message(), HasSubstr("threads 0"));
  options_.threads = {100000};
  EXPECT_THAT(message(), HasSubstr("threads 100000"));
  options_.threads = {1};
  options_.only = {"openmp.fork_jin"};
  EXPECT_THAT(message(), HasSubstr("did you mean openmp.fork_join"));
}

TEST(MeasurementDesign, ListsWhatTheBenchmarksMeasure) {
  std::size_t full = 0;
  for (const BenchmarkInfo& info : list_benchmarks()) full += info.full_shapes;
  EXPECT_EQ(measurement_design(false).size(), full);
  EXPECT_LT(measurement_design(true).size(), full);
}

}  // namespace
}  // namespace paceline
