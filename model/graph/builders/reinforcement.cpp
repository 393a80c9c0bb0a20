// A3C (Mnih et al., arXiv 1602.01783): the small Atari network with policy and value heads.
#include "model/graph/workload.h"

namespace paceline {
namespace {

// Breakout: 4 stacked frames, 4 actions. The batch is states, not games.
void a3c(WorkloadBuilder& b, const WorkloadConfig&) {
  TensorId x = b.input("frames", {b.batch(), 4, 84, 84});
  x = b.relu("relu1", b.conv("conv1", x, {.out_channels = 16, .kernel = 8, .stride = 4}));
  x = b.relu("relu2", b.conv("conv2", x, {.out_channels = 32, .kernel = 4, .stride = 2}));
  x = b.relu("relu3", b.linear("fc", b.flatten("flatten", x, 1), 256));
  const TensorId policy = b.softmax("policy.softmax", b.linear("policy", x, 4));
  const TensorId value = b.linear("value", x, 1);
  const TensorId gain = b.multiply("advantage", policy, b.input("advantages", {b.batch(), 4}));
  const TensorId policy_loss = b.loss("policy_loss", LossKind::kMean, {gain});
  const TensorId value_loss = b.loss("value_loss", LossKind::kMeanSquaredError,
                                     {value, b.input("returns", {b.batch(), 1})});
  b.add("total_loss", policy_loss, value_loss);
}

}  // namespace

void register_reinforcement(WorkloadRegistry& registry) {
  registry.add("a3c", "A3C on Atari Breakout: 2 convolutions, policy and value", [] {
    return std::make_unique<const Workload>(
        Workload{.source = "Mnih et al., arXiv 1602.01783; tbd-ai/tbd-suite@ad48842 (MXNet)",
                 .input = "4x84x84 frames",
                 .build = a3c});
  });
}

}  // namespace paceline
