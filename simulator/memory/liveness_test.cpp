#include "simulator/memory/liveness.h"

#include <gtest/gtest.h>

#include "model/graph/rewrite/precision.h"
#include "model/graph/rewrite/recomputation.h"
#include "model/graph/workload.h"
#include "simulator/memory/memory_model.h"

namespace paceline {
namespace {

MemoryTape trace(const WorkloadGraph& graph, const MemorySetting& setting = {},
                 const std::string& framework = "pytorch") {
  return memory_policy_registry().make(framework)->trace(graph, setting);
}
std::int64_t at_peak(const MemoryTape& tape, MemoryKind kind) {
  return tape.peak().usage[static_cast<std::size_t>(kind)];
}
// Bytes alive when forward has ended, of one kind.
std::int64_t after_forward(const MemoryTape& tape, MemoryKind kind) {
  std::int64_t bytes = 0;
  tape.replay([&](std::size_t event, const MemoryTape::Usage& usage) {
    if (tape.steps()[tape.events()[event].step].phase <= TapePhase::kForward) {
      bytes = usage[static_cast<std::size_t>(kind)];
    }
  });
  return bytes;
}

// Three layers of 8 to 8 features, 4 rows: 128 bytes an activation.
WorkloadGraph three_layers() {
  WorkloadBuilder b("three", 4);
  TensorId x = b.input("x", {4, 8});
  for (const std::string name : {"a", "b", "c"}) {
    x = b.activate(name + ".sigmoid", b.linear(name, x, 8), Activation::kSigmoid);
  }
  b.loss("loss", LossKind::kMean, {x});
  return std::move(b).build();
}

// By hand: at the end of forward the three outputs of the sigmoids are kept (each also the input of
// the next product); the sums before them are gone. A mean keeps nothing.
TEST(Liveness, KeepsAfterForwardWhatTheDerivativesRead) {
  const MemoryTape tape = trace(three_layers());
  EXPECT_EQ(after_forward(tape, MemoryKind::kFeatureMaps), 3 * 128 + 4);
  EXPECT_EQ(after_forward(tape, MemoryKind::kWeights), 3 * (64 + 8) * 4);
  EXPECT_EQ(after_forward(tape, MemoryKind::kInput), 128);
}

// By hand: most is alive in the backward pass of the last product: two kept outputs, the gradients
// of its output and input, the loss, and the gradients of its weights beside the stored ones.
TEST(Liveness, FindsThePeakInBackward) {
  const MemoryTape tape = trace(three_layers());
  EXPECT_EQ(at_peak(tape, MemoryKind::kFeatureMaps), 4 * 128 + 4);
  EXPECT_EQ(at_peak(tape, MemoryKind::kWeightGradients), (3 + 1) * (64 + 8) * 4);
  const MemoryTape::Peak peak = tape.peak();
  const MemoryTape::Step step = tape.steps()[tape.events()[peak.event].step];
  EXPECT_EQ(step.phase, TapePhase::kBackward);
  EXPECT_EQ(step.layer, 4u);
}

// By hand: inference holds the input of one layer and its output, and nothing after the network but
// its result; the loss is not computed.
TEST(Liveness, OfInferenceHoldsTwoNeighbouringTensors) {
  MemorySetting setting;
  setting.phases = TracedPhases::kForward;
  const MemoryTape tape = trace(three_layers(), setting);
  EXPECT_EQ(at_peak(tape, MemoryKind::kFeatureMaps), 2 * 128);
  EXPECT_EQ(after_forward(tape, MemoryKind::kFeatureMaps), 128);
  EXPECT_EQ(tape.peak().bytes, 3 * (64 + 8) * 4 + 128 + 2 * 128);
}

// A job trains two networks in turns: while one rests, its weights have neither gradient in this
// step nor anything kept for one, but its optimizer state stays, and where gradients are stored
// from step to step, they do as well. What is frozen for good has neither.
TEST(Liveness, HoldsTheStateOfWhatRests) {
  enum class Training { kFrozen, kRests, kTrained };
  const auto traced = [](Training first, const std::string& framework) {
    WorkloadBuilder b("two", 4);
    const TensorId x = b.linear("first", b.input("x", {4, 8}), 8);
    if (first == Training::kFrozen) b.freeze();
    if (first == Training::kRests) b.rest();
    b.loss("loss", LossKind::kMean, {b.linear("second", x, 8)});
    MemorySetting setting;
    setting.state = model_state("adam", Precision::kFp32);
    return trace(std::move(b).build(), setting, framework);
  };
  constexpr std::int64_t kLayer = (64 + 8) * 4;
  for (const std::string framework : {"pytorch", "tensorflow", "caffe"}) {
    const MemoryTape frozen = traced(Training::kFrozen, framework);
    const MemoryTape rests = traced(Training::kRests, framework);
    const MemoryTape trained = traced(Training::kTrained, framework);
    EXPECT_EQ(at_peak(frozen, MemoryKind::kOptimizerState), 2 * kLayer) << framework;
    EXPECT_EQ(at_peak(rests, MemoryKind::kOptimizerState), 4 * kLayer) << framework;
    EXPECT_EQ(at_peak(trained, MemoryKind::kOptimizerState), 4 * kLayer) << framework;
    EXPECT_EQ(after_forward(rests, MemoryKind::kWeightGradients) -
                  after_forward(frozen, MemoryKind::kWeightGradients),
              framework == "tensorflow" ? 0 : kLayer);
    EXPECT_EQ(after_forward(rests, MemoryKind::kFeatureMaps),
              after_forward(frozen, MemoryKind::kFeatureMaps));
  }
}

class AnyWorkload : public testing::TestWithParam<std::string> {};

// Whatever the network: all that an iteration allocates beyond weights, gradients, optimizer state
// and input is given back, and what is alive after forward is at least what the graph says is kept.
TEST_P(AnyWorkload, ReturnsEverythingAndKeepsWhatTheGraphSays) {
  const WorkloadGraph graph = build_workload(workload_registry(), GetParam(), {.batch = 2});
  for (const std::string& framework : memory_policy_registry().names()) {
    const MemoryTape tape = trace(graph, {}, framework);
    std::int64_t last = 0, least = 0;
    tape.replay([&](std::size_t, const MemoryTape::Usage& usage) {
      for (const std::int64_t bytes : usage) least = std::min(least, bytes);
      last = usage[static_cast<std::size_t>(MemoryKind::kFeatureMaps)];
    });
    EXPECT_EQ(least, 0) << framework;
    EXPECT_EQ(at_peak(tape, MemoryKind::kWeights) >= 4 * graph.all_parameters(), true);
    if (framework == "pytorch") {
      EXPECT_LE(last, 16);  // the loss
      EXPECT_GE(after_forward(tape, MemoryKind::kFeatureMaps) + at_peak(tape, MemoryKind::kInput),
                static_cast<std::int64_t>(graph.saved_bytes().si()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, AnyWorkload, testing::ValuesIn(workload_registry().names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

// Recomputing blocks keeps less and runs the forward operations of the blocks twice; weights and
// everything else stay.
TEST(Recomputation, OfBlocksKeepsOnlyWhatEntersThem) {
  const WorkloadGraph plain = build_workload(workload_registry(), "gpt2", {.batch = 1, .seq = 256});
  const WorkloadGraph full = with_recomputation(plain, Recomputation::kBlocks);
  const MemoryTape before = trace(plain), after = trace(full);
  EXPECT_LT(after_forward(after, MemoryKind::kFeatureMaps),
            after_forward(before, MemoryKind::kFeatureMaps) / 4);
  EXPECT_LT(after.peak().bytes, before.peak().bytes);
  EXPECT_EQ(at_peak(after, MemoryKind::kWeights), at_peak(before, MemoryKind::kWeights));
}

// Each group runs again once, as a whole, before the first backward pass that reads it.
TEST(Recomputation, SchedulesEveryGroupOnce) {
  const WorkloadGraph graph = with_recomputation(
      build_workload(workload_registry(), "resnet50", {.batch = 1}), Recomputation::kMirror);
  const RecomputationSchedule schedule = recomputation_schedule(graph);
  std::vector<int> runs(graph.ops().size(), 0);
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    for (const std::size_t again : schedule.before_backward[i]) {
      EXPECT_LE(again, i);
      ++runs[again];
    }
  }
  for (std::size_t i = 0; i < graph.ops().size(); ++i) EXPECT_EQ(runs[i], schedule.recomputed[i]);
}

// Autocast keeps 16-bit activations and 16-bit copies of the weights of matrix operations.
TEST(Liveness, CountsTheWeightCopiesOfAutocast) {
  const WorkloadGraph graph = with_precision(three_layers(), Precision::kBf16);
  MemorySetting setting;
  setting.state = model_state("sgd", Precision::kBf16);
  const MemoryTape tape = trace(graph, setting);
  EXPECT_EQ(after_forward(tape, MemoryKind::kWeights), 3 * (64 + 8) * (4 + 2));
}

// Shares of a strategy scale the state and nothing else.
TEST(Liveness, ScalesTheStateByTheStrategysShares) {
  MemorySetting setting;
  setting.state = {.weight = 4, .gradient = 4, .master = 0, .optimizer = 8};
  const MemoryTape whole = trace(three_layers(), setting);
  setting.strategy = {
      .communication_bytes = 1000, .weights = 0.5, .gradients = 0.25, .optimizer_state = 0.125};
  const MemoryTape sharded = trace(three_layers(), setting);
  EXPECT_EQ(after_forward(sharded, MemoryKind::kWeights) * 2,
            after_forward(whole, MemoryKind::kWeights));
  EXPECT_EQ(after_forward(sharded, MemoryKind::kWeightGradients) * 4,
            after_forward(whole, MemoryKind::kWeightGradients));
  EXPECT_EQ(after_forward(sharded, MemoryKind::kOptimizerState) * 8,
            after_forward(whole, MemoryKind::kOptimizerState));
  EXPECT_EQ(after_forward(sharded, MemoryKind::kCommunication), 1000);
  EXPECT_EQ(after_forward(sharded, MemoryKind::kFeatureMaps),
            after_forward(whole, MemoryKind::kFeatureMaps));
}

}  // namespace
}  // namespace paceline
