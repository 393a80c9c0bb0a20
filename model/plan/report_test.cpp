#include "model/plan/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace paceline {
namespace {

using testing::Contains;

std::vector<std::string> keys_of(const nlohmann::ordered_json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

TEST(Report, WritesEveryKeyThatProgramsRelyOn) {
  const nlohmann::ordered_json json = to_json(Report{});
  for (const char* key :
       {"schema", "config", "iteration_time_s", "throughput_samples_per_s", "scaling_efficiency",
        "breakdown_s", "bottleneck", "communication", "memory_bytes", "flops_per_iteration",
        "model_flops_utilization", "origins", "warnings"}) {
    EXPECT_THAT(keys_of(json), Contains(key));
  }
  for (const char* key :
       {"forward", "backward", "optimizer", "exposed_communication", "host", "input", "bubble"}) {
    EXPECT_THAT(keys_of(json["breakdown_s"]), Contains(key));
  }
  for (const char* key :
       {"weights", "weight_gradients", "optimizer_state", "feature_maps", "workspace",
        "communication", "input", "context", "slack", "peak", "capacity", "fits", "margin",
        "context_source", "p05", "p95", "fit", "origins"}) {
    EXPECT_THAT(keys_of(json["memory_bytes"]), Contains(key));
  }
}

TEST(Report, CountsTokensOnlyForWorkloadsThatHaveThem) {
  Report report;
  EXPECT_FALSE(to_json(report).contains("throughput_tokens_per_s"));
  report.throughput_tokens_per_s = Estimate{100, 90, 110};
  EXPECT_EQ(to_json(report)["throughput_tokens_per_s"]["p05"], 90);
}

TEST(Report, ConfigSpellsOutEveryDefault) {
  const nlohmann::ordered_json config = to_json(Experiment{});
  for (const char* key :
       {"model", "batch", "precision", "device", "threads", "gpus", "gpus_per_node", "framework",
        "strategy", "optimizer", "grad_accum", "set", "seed", "draws"}) {
    EXPECT_THAT(keys_of(config), Contains(key));
  }
  EXPECT_FALSE(config.contains("seq"));  // unless the workload has a sequence
}

TEST(MemoryUse, PeakIsTheSumOfItsParts) {
  MemoryUse memory;
  memory.weights = 100;
  memory.weight_gradients = 100;
  memory.feature_maps = 50;
  memory.workspace = 7;
  memory.capacity = 256;
  EXPECT_EQ(memory.peak(), 257);
  EXPECT_FALSE(memory.fits());
}

// A peak of 100 that may be 90 or 120: from the capacity that holds the most it may be to the one
// that is below the least. A standard deviation upwards is 12.2.
TEST(MemoryUse, SaysHowSureItIsThatItFits) {
  MemoryUse memory;
  memory.weights = 100;
  memory.below = 10;
  memory.above = 20;
  const auto fit = [&](std::int64_t capacity) {
    memory.capacity = capacity;
    EXPECT_EQ(memory.fits(), capacity >= 100);
    return to_string(memory.fit());
  };
  EXPECT_EQ(fit(120), "certain");
  EXPECT_EQ(fit(119), "likely");
  EXPECT_EQ(fit(113), "likely");
  EXPECT_EQ(fit(112), "possible");
  EXPECT_EQ(fit(100), "possible");
  EXPECT_EQ(fit(99), "unlikely");
  EXPECT_EQ(fit(90), "unlikely");
  EXPECT_EQ(fit(89), "impossible");
  EXPECT_EQ(to_json(memory)["fit"], "impossible");
  EXPECT_EQ(to_json(memory)["p95"], 120);
}

}  // namespace
}  // namespace paceline
