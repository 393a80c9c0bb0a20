// Unrolling changes how recurrent layers run, never what they compute.
#include "model/graph/rewrite/unrolled_recurrence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "model/graph/work.h"
#include "model/graph/workload.h"

namespace paceline {
namespace {

constexpr CellStyle kStyles[] = {CellStyle::kConcatenatedInput, CellStyle::kTwoProducts,
                                 CellStyle::kHoistedInput};

template <typename Kind>
int count(const WorkloadGraph& graph) {
  int found = 0;
  for (const Op& op : graph.ops()) found += std::holds_alternative<Kind>(op.attributes) ? 1 : 0;
  return found;
}

WorkloadGraph network(Rnn rnn, std::int64_t steps = 5) {
  WorkloadBuilder b("net", 3);
  TensorId x = b.embedding("words", b.integer_input("tokens", {steps, 3}), 11, 8);
  x = b.rnn("rnn", x, rnn);
  b.loss("loss", LossKind::kMean, {x});
  return std::move(b).build();
}

// Every cell, deep and in both directions.
TEST(UnrolledRecurrence, KeepsParametersShapesAndFlop) {
  for (const RnnCell cell : {RnnCell::kRnn, RnnCell::kGru, RnnCell::kLstm}) {
    for (const bool bidirectional : {false, true}) {
      const WorkloadGraph fused = network(
          {.cell = cell, .hidden = 4, .layers = 2, .bidirectional = bidirectional, .bias_sets = 1});
      for (const CellStyle style : kStyles) {
        const WorkloadGraph unrolled = with_unrolled_recurrence(fused, style);
        EXPECT_EQ(count<Rnn>(unrolled), 0);
        EXPECT_EQ(unrolled.parameters(), fused.parameters());
        EXPECT_EQ(unrolled.forward_flops(), fused.forward_flops());
        // Nothing needs the gradient of the first state of each layer and direction. Beside the
        // input, in one product, it is computed all the same.
        const Flops first_state =
            Flops(static_cast<double>((bidirectional ? 4 : 2) * 2 * gate_count(cell) * 4 * 4 * 3));
        EXPECT_EQ(unrolled.training_flops() +
                      (style == CellStyle::kConcatenatedInput ? Flops() : first_state),
                  fused.training_flops());
        EXPECT_EQ(unrolled.shape(unrolled.ops().back().inputs[0]),
                  fused.shape(fused.ops().back().inputs[0]));
      }
    }
  }
}

TEST(UnrolledRecurrence, KeepsTheSecondBiasWhereThereAreTwoProducts) {
  const WorkloadGraph fused = network({.hidden = 4, .bias_sets = 2});
  EXPECT_EQ(with_unrolled_recurrence(fused, CellStyle::kTwoProducts).parameters(),
            fused.parameters());
  EXPECT_EQ(with_unrolled_recurrence(fused, CellStyle::kHoistedInput).parameters(),
            fused.parameters());
  EXPECT_EQ(with_unrolled_recurrence(fused, CellStyle::kConcatenatedInput).parameters(),
            fused.parameters() - 16);
}

// The number of products per step is the difference between the styles.
TEST(UnrolledRecurrence, RunsTheProductsOfItsStyle) {
  const WorkloadGraph fused = network({.hidden = 4, .bias_sets = 1}, 7);
  const auto products = [&](CellStyle style) {
    return count<Linear>(with_unrolled_recurrence(fused, style));
  };
  EXPECT_EQ(products(CellStyle::kConcatenatedInput), 7);
  EXPECT_EQ(products(CellStyle::kTwoProducts), 14);
  EXPECT_EQ(products(CellStyle::kHoistedInput), 8);
}

// Twice the steps are twice the operations of the loop.
TEST(UnrolledRecurrence, GrowsLinearlyWithTheSequence) {
  const auto operations = [](std::int64_t steps) {
    return with_unrolled_recurrence(network({.hidden = 4}, steps), CellStyle::kTwoProducts)
        .ops()
        .size();
  };
  EXPECT_EQ(operations(16) - operations(8), 2 * (operations(8) - operations(4)));
}

// Cells that the network itself repeats, with shared parameters and a state from another layer.
TEST(UnrolledRecurrence, KeepsParametersThatStepsOfTheNetworkShare) {
  for (const char* name : {"seq2seq-nmt", "sockeye-nmt"}) {
    const WorkloadGraph fused = build_workload(workload_registry(), name, {.batch = 2, .seq = 10});
    const WorkloadGraph unrolled = with_unrolled_recurrence(fused, CellStyle::kTwoProducts);
    EXPECT_EQ(count<Rnn>(unrolled), 0);
    EXPECT_EQ(unrolled.parameters(), fused.parameters()) << name;
    EXPECT_EQ(unrolled.forward_flops(), fused.forward_flops()) << name;
    EXPECT_EQ(unrolled.tokens_per_sample(), fused.tokens_per_sample());
  }
}

TEST(UnrolledRecurrence, LeavesNetworksWithoutRecurrenceAsTheyAre) {
  const WorkloadGraph graph = build_workload(workload_registry(), "resnet18", {.batch = 2});
  const WorkloadGraph same = with_unrolled_recurrence(graph, CellStyle::kConcatenatedInput);
  EXPECT_EQ(same.ops().size(), graph.ops().size());
  EXPECT_EQ(same.saved_bytes(), graph.saved_bytes());
  EXPECT_EQ(same.inputs().size(), graph.inputs().size());
}

TEST(UnrolledRecurrence, RefusesNarrowPrecision) {
  const WorkloadGraph graph =
      build_workload(workload_registry(), "lstm-ptb", {.batch = 2, .precision = Precision::kBf16});
  EXPECT_THROW(with_unrolled_recurrence(graph, CellStyle::kTwoProducts), UsageError);
}

}  // namespace
}  // namespace paceline
