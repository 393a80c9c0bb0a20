// Formulas of the literature against what liveness finds on the same network.
#include <gtest/gtest.h>

#include "model/graph/blocks/transformer.h"
#include "model/graph/rewrite/fused_attention.h"
#include "model/graph/rewrite/precision.h"
#include "model/graph/rewrite/recomputation.h"
#include "model/graph/workload_builder.h"
#include "simulator/frameworks/framework.h"
#include "simulator/memory/liveness.h"
#include "simulator/memory/memory_model.h"
#include "simulator/strategies/parts/sharded.h"
#include "simulator/strategies/parts/strategy_memory.h"

namespace paceline {
namespace {

constexpr std::int64_t kSeq = 256, kBatch = 2, kWidth = 512, kHeads = 8;

// A GPT block as Megatron-LM's formula assumes it: dropout everywhere, 16-bit tensors.
WorkloadGraph gpt(std::int64_t layers) {
  WorkloadBuilder b("gpt", kBatch);
  const TransformerConfig config{.layers = layers,
                                 .width = kWidth,
                                 .heads = kHeads,
                                 .kv_heads = kHeads,
                                 .head_dim = kWidth / kHeads,
                                 .ffn_width = 4 * kWidth,
                                 .vocabulary = 1024,
                                 .learned_positions = kSeq,
                                 .dropout = 0.1,
                                 .attention_dropout = 0.1};
  build_transformer(b, config, kSeq);
  return with_precision(std::move(b).build(), Precision::kBf16, MixedPrecision::kUniform);
}

std::int64_t after_forward(const WorkloadGraph& graph) {
  MemorySetting setting;
  setting.state = model_state("adam", Precision::kBf16, true);
  const MemoryTape tape = memory_policy_registry().make("pytorch")->trace(graph, setting);
  std::int64_t bytes = 0;
  tape.replay([&](std::size_t event, const MemoryTape::Usage& usage) {
    if (tape.steps()[tape.events()[event].step].phase <= TapePhase::kForward) {
      bytes = usage[static_cast<std::size_t>(MemoryKind::kFeatureMaps)];
    }
  });
  return bytes;
}
double of_one_layer(Recomputation what) {
  return static_cast<double>(after_forward(with_recomputation(gpt(3), what)) -
                             after_forward(with_recomputation(gpt(2), what)));
}

constexpr double kSbh = static_cast<double>(kSeq * kBatch * kWidth);
constexpr double kScores = static_cast<double>(kHeads * kSeq * kSeq * kBatch);

// Korthikanti et al., arXiv 2205.05198: s b h (34 + 5 a s / h) bytes per layer. The statistics of
// the normalisations, 16 bytes a row, come on top.
TEST(ClosedForms, ActivationsOfATransformerLayerAreMegatronsFormula) {
  const double formula = 34 * kSbh + 5 * kScores;
  EXPECT_NEAR(of_one_layer(Recomputation::kNone) / formula, 1, 0.01);
}

// Selective recomputation drops the 5 a s^2 b of the attention core.
TEST(ClosedForms, SelectiveRecomputationLeaves34TimesTheSequence) {
  EXPECT_NEAR(of_one_layer(Recomputation::kAttention) / (34 * kSbh), 1, 0.01);
}

// Full recomputation keeps the input of each block, 2 s b h.
TEST(ClosedForms, FullRecomputationKeepsOneInputPerBlock) {
  EXPECT_NEAR(of_one_layer(Recomputation::kBlocks) / (2 * kSbh), 1, 0.01);
}

// The network's 16-bit gradients on `devices` devices.
JobSpec job_of(const WorkloadGraph& graph, int devices) {
  JobSpec job;
  job.group = {1, devices};
  for (const Op& op : graph.ops()) job.profile.layers.push_back(op.name);
  job.profile.gradients = gradient_tensors(graph, Bytes(2));
  return job;
}

// What is there before the first operation, but for the input and what is exchanged.
std::int64_t state_bytes(const WorkloadGraph& graph, const std::string& name, int devices,
                         const ModelStateSizes& sizes) {
  const auto strategy = strategy_registry().make(name);
  const StrategyOptions options(name, all_options(*strategy), {});
  MemorySetting setting;
  setting.state = sizes;
  setting.strategy = strategy_memory(job_of(graph, devices), *strategy, options);
  const MemoryTape tape = memory_policy_registry().make("pytorch")->trace(graph, setting);
  std::int64_t bytes = 0;
  for (const MemoryTape::Event& event : tape.events()) {
    const MemoryTape::Buffer& buffer = tape.buffers()[event.buffer];
    const bool setup = tape.steps()[event.step].phase == TapePhase::kSetup;
    const bool state =
        buffer.kind != MemoryKind::kInput && buffer.kind != MemoryKind::kCommunication;
    if (setup && state) bytes += buffer.bytes;
  }
  return bytes;
}

// ZeRO (arXiv 1910.02054), Adam in mixed precision, K = 12, N devices: 16; 4 + 12/N; 2 + 14/N;
// 16/N bytes per parameter.
TEST(ClosedForms, ZeroStagesHoldTheBytesOfThePaper) {
  const WorkloadGraph graph = gpt(2);
  const double parameters = static_cast<double>(graph.parameters());
  const auto per_parameter = [&](const std::string& strategy) {
    const ModelStateSizes adam = model_state("adam", Precision::kFp16, true);
    return static_cast<double>(state_bytes(graph, strategy, 64, adam)) / parameters;
  };
  EXPECT_NEAR(per_parameter("bsp"), 16, 1e-3);
  EXPECT_NEAR(per_parameter("zero-1"), 4 + 12.0 / 64, 1e-3);
  EXPECT_NEAR(per_parameter("zero-2"), 2 + 14.0 / 64, 1e-3);
  EXPECT_NEAR(per_parameter("zero-3"), 16.0 / 64, 1e-3);
}

// DeepSpeed's estimators of model states without offload, P parameters on N devices, L in the
// largest layer (estimate_zero2_model_states_mem_needs in runtime/zero/stage_1_and_2.py,
// estimate_zero3_model_states_mem_needs in runtime/zero/stage3.py, version 0.19.8):
//   stage 2: 2 P + 18 P / N,   stage 3: 4 L + 18 P / N
// Both hold 4 of gradients and 4 of weights in 32 bits and 8 of Adam; the 32-bit gradients exist
// beside the master weights while the update runs, but are counted as always there. The rest of 18
// is 2 of gradients in 16 bits in stage 2, of weights in stage 3, whose 16-bit gradients are those
// of the layer at work: 4 L = its weights and gradients. Of two layers, gathered one ahead of the
// other, the weights are as much.
TEST(ClosedForms, ZeroStagesHoldWhatDeepSpeedsEstimatorsSay) {
  const WorkloadGraph graph = gpt(4);
  const double parameters = static_cast<double>(graph.parameters());
  const double layer = 4.0 * kWidth * kWidth + 4.0 * kWidth;  // the first of a feed-forward network
  ModelStateSizes sizes = model_state("adam", Precision::kFp16, true);
  sizes.master += 4;
  for (const int devices : {1, 2, 4, 8, 64, 1000}) {
    SCOPED_TRACE(devices);
    const double share = 18 * parameters / static_cast<double>(devices);
    EXPECT_NEAR(static_cast<double>(state_bytes(graph, "zero-2", devices, sizes)) /
                    (2 * parameters + share),
                1, 1e-3);
    ModelStateSizes without_gradients = sizes;
    without_gradients.gradient = 0;
    Sharding layers;
    layers.weights = true;
    layers.wrap = "layer";
    const Bytes gathered = gathered_bytes(job_of(graph, devices), layers);
    EXPECT_NEAR((static_cast<double>(state_bytes(graph, "zero-3", devices, without_gradients)) +
                 gathered.si()) /
                    (4 * layer + share),
                1, 1e-3);
  }
}

// CNNs of 2016: weights, gradients and momentum in fp32 are 12 bytes per parameter.
TEST(ClosedForms, MomentumInFp32TakesTwelveBytesAParameter) {
  const ModelStateSizes sizes = model_state("momentum", Precision::kFp32);
  EXPECT_EQ(sizes.weight + sizes.gradient + sizes.master + sizes.optimizer, 12);
}

}  // namespace
}  // namespace paceline
