// Laws of the rewrites: they change how a network runs, never what it computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/error.h"
#include "model/graph/rewrite/fused_attention.h"
#include "model/graph/rewrite/fusion.h"
#include "model/graph/rewrite/layout.h"
#include "model/graph/rewrite/precision.h"
#include "model/graph/rewrite/recomputation.h"
#include "model/graph/work.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

WorkloadGraph build(const std::string& name, std::int64_t batch = 2,
                    std::optional<std::int64_t> seq = {}) {
  return build_workload(workload_registry(), name, {.batch = batch, .seq = seq});
}

template <typename Kind>
int count(const WorkloadGraph& graph) {
  int found = 0;
  for (const Op& op : graph.ops()) found += std::holds_alternative<Kind>(op.attributes) ? 1 : 0;
  return found;
}

TEST(FusedAttention, ReplacesEveryCoreAndKeepsParametersAndFlop) {
  for (const std::string name : {"gpt2", "bert-base", "llama3-8b", "vit-b-16"}) {
    const WorkloadGraph graph = build(name);
    const WorkloadGraph fused = with_fused_attention(graph);
    EXPECT_EQ(count<Softmax>(fused), 0) << name;
    EXPECT_EQ(count<Attention>(fused), count<Softmax>(graph)) << name;
    EXPECT_EQ(fused.parameters(), graph.parameters()) << name;
    EXPECT_EQ(fused.forward_flops(), graph.forward_flops()) << name;
    EXPECT_EQ(fused.training_flops(), graph.training_flops()) << name;
    EXPECT_LT(fused.saved_bytes(), graph.saved_bytes()) << name;
  }
}

// T5 adds a learned bias to its scores, which the fused form cannot do.
TEST(FusedAttention, LeavesScoresWithABiasAlone) {
  const WorkloadGraph fused = with_fused_attention(build("t5-small", 1, 16));
  EXPECT_EQ(count<Attention>(fused), 6);  // the attention of the decoder to the encoder has none
  EXPECT_EQ(count<Softmax>(fused), 12);
}

// Scores cost batch x heads x seq^2 several times over; without them saved bytes grow linearly.
TEST(FusedAttention, MakesMemoryGrowLinearlyWithTheSequence) {
  const auto saved = [](std::int64_t seq) {
    return with_fused_attention(build("gpt2", 1, seq)).saved_bytes().si();
  };
  EXPECT_NEAR(saved(1024) / saved(256), 4, 0.02);
}

TEST(Fusion, JoinsElementwiseChainsAndTheirEpilogues) {
  WorkloadBuilder b("chain", 2);
  TensorId x = b.linear("fc", b.input("x", {2, 8}), 8);
  x = b.activate("gelu", x, Activation::kGelu);
  x = b.dropout("drop", x, 0.1);
  x = b.linear("fc2", x, 8);
  b.loss("loss", LossKind::kMean, {x});
  const WorkloadGraph graph = std::move(b).build();
  const WorkloadGraph chains = with_fusion(graph, {});
  EXPECT_EQ(chains.ops()[0].fusion_group, 0u);
  EXPECT_NE(chains.ops()[1].fusion_group, 0u);
  EXPECT_EQ(chains.ops()[1].fusion_group, chains.ops()[2].fusion_group);
  const WorkloadGraph epilogues = with_fusion(graph, {.into_matrix_operation = true});
  EXPECT_EQ(epilogues.ops()[0].fusion_group, epilogues.ops()[2].fusion_group);
  // Two passes over 16 floats each become one read and one write.
  EXPECT_EQ(external_traffic(chains, {&chains.ops()[1], &chains.ops()[2]}), Bytes(2 * 64));
}

// silu(gate) * up: the product's gradient needs silu(gate), which is computed again from what is
// read anyway.
TEST(Fusion, ComputesTensorsInsideAGroupAgain) {
  WorkloadBuilder b("gated", 2);
  const TensorId x = b.input("x", {2, 8});
  TensorId gate = b.linear("gate", x, 8);
  gate = b.activate("silu", gate, Activation::kSilu);
  const TensorId up = b.linear("up", x, 8);
  b.loss("loss", LossKind::kMean, {b.multiply("product", gate, up)});
  const WorkloadGraph graph = with_fusion(std::move(b).build(), {});
  const std::vector<FusedGroup> groups = fused_groups(graph);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].members.size(), 2u);
  EXPECT_EQ(groups[0].inputs.size(), 2u);
  EXPECT_EQ(groups[0].kept.size(), 2u);
  EXPECT_EQ(groups[0].stored, Bytes(0));
  EXPECT_EQ(groups[0].written.size(), 2u);
}

// (a + b + c) -> gelu: three inputs to add up again are more than their sum.
TEST(Fusion, StoresATensorInsideAGroupWhereThatIsLess) {
  WorkloadBuilder b("sum", 2);
  const TensorId x = b.input("x", {2, 8});
  TensorId sum = b.add("ab", b.linear("a", x, 8), b.linear("b", x, 8));
  sum = b.add("abc", sum, b.linear("c", x, 8));
  b.loss("loss", LossKind::kMean, {b.activate("gelu", sum, Activation::kGelu)});
  const WorkloadGraph graph = with_fusion(std::move(b).build(), {});
  const std::vector<FusedGroup> groups = fused_groups(graph);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].inputs.size(), 3u);
  EXPECT_EQ(groups[0].stored, Bytes(64));
  // All three operands have the same gradient.
  EXPECT_EQ(groups[0].written.size(), 1u);
}

TEST(Fusion, StopsWhereAnotherOperationReadsTheResult) {
  const WorkloadGraph fused = with_fusion(build("resnet50"), {.into_normalization = true});
  for (const Op& op : fused.ops()) {
    // The sum of a block goes through its ReLU only, the ReLU's result is read twice.
    if (op.name == "layer1.0.relu") {
      EXPECT_NE(op.fusion_group, 0u);
    }
    if (op.name == "layer1.1.conv1") {
      EXPECT_EQ(op.fusion_group, 0u);
    }
  }
}

TEST(Recomputation, KeepsOnlyWhatEntersEachBlock) {
  const WorkloadGraph graph = build("gpt2", 1, 128);
  const WorkloadGraph full = with_recomputation(graph, Recomputation::kBlocks);
  const double boundaries = 12.0 * 128 * 768 * 4;
  EXPECT_LT(full.saved_bytes().si(), 0.35 * graph.saved_bytes().si());
  EXPECT_GT(full.saved_bytes().si(), boundaries);
  // One more forward pass of all blocks, but not of the head.
  const double head = 2.0 * 128 * 768 * 50257;
  EXPECT_NEAR(recomputed_flops(full).si(), graph.forward_flops().si() - head,
              0.01 * graph.forward_flops().si());
  EXPECT_EQ(full.training_flops(), graph.training_flops());
}

TEST(Recomputation, OfAttentionDropsTheScores) {
  const WorkloadGraph graph = build("gpt2", 1, 1024);
  const WorkloadGraph selective = with_recomputation(graph, Recomputation::kAttention);
  // 12 layers keep softmax, dropped-out weights and a mask per score: 9 bytes.
  const double scores = 12.0 * 12 * 1024 * 1024 * (4 + 4 + 1);
  EXPECT_LT(selective.saved_bytes().si(), graph.saved_bytes().si() - 0.5 * scores);
  EXPECT_THROW(with_recomputation(build("vgg16"), Recomputation::kAttention), UsageError);
  EXPECT_THROW(with_recomputation(build("fcn-r"), Recomputation::kAttention), UsageError);
}

// Selective checkpointing counts products anew in each block: of the seven of a Llama block the
// first, third, fifth and last are kept in every one, and attention beside them.
TEST(Recomputation, OfOperationsKeepsTheSameInEveryBlock) {
  const WorkloadGraph graph = with_recomputation(with_fused_attention(build("llama3-8b", 1, 128)),
                                                 Recomputation::kEveryOther);
  std::map<std::string, std::string> kept;  // by block: K or r for each operation
  for (const Op& op : graph.ops()) {
    const std::size_t number = op.name.find_first_of("0123456789");
    if (number == std::string::npos) continue;
    const bool counts = std::holds_alternative<Linear>(op.attributes) ||
                        std::holds_alternative<Attention>(op.attributes);
    if (counts) kept[op.name.substr(0, op.name.find('.', number))] += op.recomputed ? 'r' : 'K';
  }
  EXPECT_EQ(kept.size(), 32u);
  for (const auto& [block, pattern] : kept) EXPECT_EQ(pattern, "KrKKrKrK") << block;
}

TEST(Layout, ChannelsLastTurnsFlatteningIntoACopy) {
  const WorkloadGraph first = build("vgg16");
  const WorkloadGraph last = with_layout(first, ImageLayout::kChannelsLast);
  EXPECT_EQ(last.layout(), ImageLayout::kChannelsLast);
  EXPECT_EQ(last.parameters(), first.parameters());
  EXPECT_EQ(last.forward_flops(), first.forward_flops());
  for (const Op& op : last.ops()) {
    if (op.name == "flatten") {
      EXPECT_EQ(last.tensor(op.output).alias_of, std::nullopt);
    }
    if (op.name == "conv1_2") {
      EXPECT_EQ(last.tensor(op.output).strides[1], 1);
    }
  }
  // A 1x1 image has no order: ResNet's flattening stays a view. And back is where it was.
  const WorkloadGraph resnet = build("resnet50");
  const WorkloadGraph there = with_layout(resnet, ImageLayout::kChannelsLast);
  EXPECT_EQ(there.saved_bytes(), resnet.saved_bytes());
  const WorkloadGraph back = with_layout(there, ImageLayout::kChannelsFirst);
  for (std::size_t i = 0; i < back.tensors().size(); ++i) {
    EXPECT_EQ(back.tensors()[i].strides, resnet.tensors()[i].strides);
    EXPECT_EQ(back.tensors()[i].alias_of, resnet.tensors()[i].alias_of);
  }
}

TEST(MixedPrecision, AutocastConvertsAtTheEdgesOnly) {
  const WorkloadGraph fp32 = build("gpt2", 1, 64);
  const WorkloadGraph bf16 = with_precision(fp32, Precision::kBf16);
  EXPECT_GT(count<Cast>(bf16), 0);
  for (const Op& op : bf16.ops()) {
    const Tensor& output = bf16.tensor(op.output);
    if (std::holds_alternative<Linear>(op.attributes)) {
      EXPECT_EQ(output.precision, Precision::kBf16) << op.name;
      EXPECT_EQ(bf16.tensor(op.inputs[0]).precision, Precision::kBf16) << op.name;
    }
    if (std::holds_alternative<Norm>(op.attributes) ||
        std::holds_alternative<Softmax>(op.attributes)) {
      EXPECT_EQ(output.precision, Precision::kFp32) << op.name;
    }
  }
  const WorkloadGraph uniform = with_precision(fp32, Precision::kBf16, MixedPrecision::kUniform);
  EXPECT_EQ(count<Cast>(uniform), 0);
  EXPECT_LT(uniform.saved_bytes(), bf16.saved_bytes());
  // tf32 is stored as fp32.
  EXPECT_EQ(with_precision(fp32, Precision::kTf32).saved_bytes(), fp32.saved_bytes());
}

}  // namespace
}  // namespace paceline
