#include "validation/harness/published_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace paceline {
namespace {

using testing::HasSubstr;

std::vector<PublishedCase> read(const std::string& members) {
  const std::string text = "{\"schema\": \"paceline.validation-set/1\", " + members + "}";
  const JsonDocument document = parse_json(text, "set.json", "paceline.validation-set/1");
  JsonObject root = document.root();
  return read_published_cases(root);
}

TEST(PublishedCases, SayWhatCommonLeavesOpen) {
  const auto cases = read(R"(
    "common": {"device": "k40m", "framework": "mxnet", "options": {"clock": "745MHz"}},
    "cases": [{"model": "lstm-ptb", "seq": 32, "batch": 128, "measured_s": 0.179,
               "options": {"optimizer": "momentum"}},
              {"name": "caffe", "framework": "caffe", "model": "ffn-5", "batch": 64,
               "samples_per_s": 32, "excluded": "broken"}])");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].name, "mxnet-lstm-ptb-b128-k40m");
  EXPECT_EQ(cases[0].experiment.framework, "mxnet");
  EXPECT_EQ(cases[0].experiment.seq, 32);
  EXPECT_EQ(cases[0].experiment.options.at("clock"), "745MHz");
  EXPECT_EQ(cases[0].experiment.options.at("optimizer"), "momentum");
  EXPECT_EQ(cases[0].measured, Seconds(0.179));
  EXPECT_EQ(cases[1].experiment.framework, "caffe");
  EXPECT_FALSE(cases[1].experiment.options.contains("optimizer"));
  EXPECT_EQ(cases[1].measured, Seconds(2));  // 64 samples at 32 a second
  EXPECT_EQ(cases[1].excluded, "broken");
}

TEST(PublishedCases, DivideABatchOfAllDevices) {
  const auto cases = read(R"(
    "common": {"device": "k40m", "model": "ffn-5", "global_batch": 8192, "intra": "pcie3-x16"},
    "cases": [{"gpus": 4, "strategy": "gpu-tree", "calibrate": "0.221 s", "measured_s": 0.085}])");
  const Experiment& e = cases.at(0).experiment;
  EXPECT_EQ(e.batch, 2048);
  EXPECT_TRUE(e.global_batch);
  EXPECT_EQ(e.samples_per_iteration(), 8192);
  EXPECT_EQ(e.intra, "pcie3-x16");
  EXPECT_EQ(e.calibrate, "0.221 s");
}

TEST(PublishedCases, RefuseWhatIsMissingUnknownOrTwofold) {
  const auto message = [](const std::string& members) -> std::string {
    try {
      read(members);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string good = R"("model": "ffn-5", "batch": 64, "device": "k40m")";
  EXPECT_THAT(message("\"cases\": []"), HasSubstr("empty"));
  EXPECT_THAT(message("\"cases\": [{" + good + "}]"), HasSubstr("samples_per_s"));
  EXPECT_THAT(message("\"cases\": [{" + good + ", \"measured_s\": 1, \"samples_per_s\": 1}]"),
              HasSubstr("samples_per_s"));
  EXPECT_THAT(message("\"cases\": [{" + good + ", \"measured_s\": 1, \"batchs\": 1}]"),
              HasSubstr("batchs"));
  EXPECT_THAT(message("\"cases\": [{\"model\": \"ffn-5\", \"batch\": 64, \"measured_s\": 1}]"),
              HasSubstr("device"));
}

}  // namespace
}  // namespace paceline
