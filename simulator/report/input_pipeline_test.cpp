#include "simulator/report/input_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "simulator/report/prediction.h"
#include "simulator/report/test_device.h"

namespace paceline {
namespace {

using testing::HasSubstr;

Report predict(std::map<std::string, std::string> options) {
  Experiment e;
  e.model = "fcn-r";
  e.batch = 64;
  e.threads = 1;
  e.options = std::move(options);
  return Predictor().predict(e, made_up_device()).report;
}

std::string milliseconds(double seconds) { return std::to_string(1e3 * seconds); }

TEST(InputPipeline, BindsWhenItsWorkersAreTooFew) {
  const double training = predict({}).iteration_time_s.median;
  // Five times what training takes: two workers wait, five keep up.
  const std::string time = milliseconds(4.5 * training);
  const Report two = predict({{"loader_ms_per_batch", time}, {"loader_workers", "2"}});
  EXPECT_NEAR(two.iteration_time_s.median, 2.25 * training, 1e-6 * training);
  EXPECT_NEAR(two.breakdown.input.si(), 1.25 * training, 1e-6 * training);
  EXPECT_NEAR(two.breakdown.total().si(), two.iteration_time_s.median, 1e-6 * training);
  EXPECT_EQ(two.bottleneck.resource, "input pipeline");
  EXPECT_THAT(two.bottleneck.text, HasSubstr("from 5 workers on"));
  const Report five = predict({{"loader_ms_per_batch", time}, {"loader_workers", "5"}});
  EXPECT_DOUBLE_EQ(five.iteration_time_s.median, training);
  EXPECT_EQ(five.breakdown.input, Seconds(0));
  EXPECT_NE(five.bottleneck.resource, "input pipeline");
}

// Where loading decides, the uncertainty of training does not matter.
TEST(InputPipeline, NarrowsTheIntervalWhereItDecides) {
  const Report bound = predict({{"loader_ms_per_batch", "1e7"}});
  EXPECT_DOUBLE_EQ(bound.iteration_time_s.p05, bound.iteration_time_s.p95);
}

// A job's rates are those of its iterations, whoever is slower: samples over either end of the
// time.
TEST(InputPipeline, BindsAJobWithItsRates) {
  Experiment e;
  e.model = "fcn-r";
  e.batch = 64;
  e.threads = 1;
  e.calibrate = "10 ms";
  const Report fast = Predictor().predict(e, made_up_device()).report;
  e.options = {{"loader_ms_per_batch", "40"}, {"loader_workers", "2"}};
  const Report bound = Predictor().predict(e, made_up_device()).report;
  EXPECT_NEAR(bound.iteration_time_s.median, 20e-3, 1e-12);
  EXPECT_NEAR(bound.throughput_samples_per_s.median, 64 / 20e-3, 1e-6);
  EXPECT_NEAR(bound.throughput_samples_per_s.p95, 64 / bound.iteration_time_s.p05, 1e-6);
  EXPECT_NEAR(bound.throughput_samples_per_s.p05, 64 / bound.iteration_time_s.p95, 1e-6);
  EXPECT_NEAR(bound.model_flops_utilization, fast.model_flops_utilization / 2, 1e-9);
}

TEST(InputPipeline, RefusesWhatIsNoPipeline) {
  const std::vector<std::map<std::string, std::string>> wrong = {
      {{"loader_workers", "2"}},
      {{"loader_ms_per_batch", "0"}},
      {{"loader_ms_per_batch", "-3"}},
      {{"loader_ms_per_batch", "nan"}},
      {{"loader_ms_per_batch", "fast"}},
      {{"loader_ms_per_batch", "5"}, {"loader_workers", "1.5"}},
      {{"loader_ms_per_batch", "5"}, {"loader_workers", "0"}}};
  for (const auto& options : wrong) EXPECT_THROW(predict(options), UsageError);
}

}  // namespace
}  // namespace paceline
