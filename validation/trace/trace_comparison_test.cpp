#include "validation/trace/trace_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph/workload_builder.h"

namespace paceline {
namespace {

using testing::SizeIs;

TEST(TracedKind, IsTheWordOurReportsUse) {
  EXPECT_EQ(traced_kind("aten::conv2d"), "conv2d");
  EXPECT_EQ(traced_kind("aten::relu_"), "relu");
  EXPECT_EQ(traced_kind("aten::adaptive_avg_pool2d"), "average_pool2d");
  EXPECT_EQ(traced_kind("my_library::op"), "");
}

// Three layers predicted at 1, 2 and 4 s forward, twice that backward.
class Comparison : public testing::Test {
 protected:
  Comparison() {
    const char* operations[] = {"aten::to", "aten::linear", "aten::relu", "aten::softmax"};
    trace_.devices = {"a GPU"};
    const TrackId track = trace_.timeline.add_track("gpu0/stream 7");
    std::int64_t at = 0;
    for (std::int32_t layer = 0; layer < 4; ++layer) {
      trace_.layers.push_back({operations[layer], "", ""});
      for (const SpanKind kind : {SpanKind::kForward, SpanKind::kBackward}) {
        Span span;
        span.start = SimTime::from(Seconds(static_cast<double>(at++)));
        span.end = SimTime::from(Seconds(static_cast<double>(at)));
        span.track = track;
        span.label = {.name = {}, .rank = 0, .layer = layer, .iteration = 0, .kind = kind};
        trace_.timeline.add(span);
      }
    }
    trace_.iterations_s = {10, 8, 8.5};
  }

  static WorkloadGraph graph() {
    WorkloadBuilder builder("net", 8);
    TensorId x = builder.input("x", {8, 16});
    x = builder.linear("first", x, 32);
    x = builder.relu("middle", x);
    x = builder.linear("last", x, 4);
    builder.loss("loss", LossKind::kMean, {x});
    return std::move(builder).build();
  }

  static IterationPlan plan() {
    IterationPlan out;
    out.layers = {"first", "middle", "last", "loss"};
    for (std::uint32_t layer = 0; layer < 3; ++layer) {
      PlannedKernel kernel;
      kernel.cost.time = Seconds(static_cast<double>(1 << layer));
      out.kernels.push_back(kernel);
      out.micro_batch.push_back(
          {.phase = Phase::kForward, .layer = layer, .kernel = layer, .host = Seconds(0.5)});
      out.micro_batch.push_back({.phase = Phase::kBackward,
                                 .layer = layer,
                                 .kernel = layer,
                                 .host = Seconds(0.5),
                                 .repeat = 2});
    }
    return out;
  }
  MeasuredTimeline trace_;
};

TEST_F(Comparison, MatchesLayersInOrderAndKeepsWhatHasNoCounterpart) {
  const TraceComparison got = compare_with_trace(graph(), plan(), trace_);
  EXPECT_EQ(got.matched, 2u);
  ASSERT_THAT(got.layers, SizeIs(5));  // first, middle, last; to, softmax
  EXPECT_EQ(got.layers[0].layer, "first");
  EXPECT_EQ(got.layers[0].operation, "aten::linear");
  EXPECT_EQ(got.layers[1].layer, "middle");
  EXPECT_EQ(got.layers[1].operation, "aten::relu");
  EXPECT_EQ(got.layers[2].layer, "last");
  EXPECT_FALSE(got.layers[2].matched());
  EXPECT_EQ(got.layers[3].operation, "aten::to");
  EXPECT_FALSE(got.layers[3].matched());
}

// A program may run the shortcut of a residual block before its branch: shapes tell them apart.
TEST_F(Comparison, MatchesLayersOfOneKindByTheirShapesWhateverTheOrder) {
  trace_.layers[1] = {"aten::relu", "", "[[8, 32]]"};
  trace_.layers[2] = {"aten::linear", "", "[[8, 32], [4, 32], [4]]"};
  trace_.layers[3] = {"aten::linear", "", "[[8, 16], [32, 16], [32]]"};
  const TraceComparison got = compare_with_trace(graph(), plan(), trace_);
  EXPECT_EQ(got.matched, 3u);
  trace_.layers[3].module = "nn.Module: Linear_0";
  EXPECT_EQ(compare_with_trace(graph(), plan(), trace_).layers[0].operation,
            "aten::linear of Linear_0");
}

// A job's trace has one span from each gradient to the next. A trace that names other layers is
// compared as it is.
TEST_F(Comparison, CutsThePredictionAsAJobsTraceIs) {
  IterationPlan planned = plan();
  planned.micro_batch.clear();
  for (const std::uint32_t layer : {0u, 1u, 2u}) {
    planned.micro_batch.push_back(
        {.phase = Phase::kForward, .layer = layer, .kernel = layer, .host = Seconds(0)});
  }
  for (const std::uint32_t layer : {2u, 1u, 0u}) {
    planned.micro_batch.push_back(
        {.phase = Phase::kBackward, .layer = layer, .kernel = layer, .host = Seconds(0)});
  }
  planned.gradients.resize(2);
  planned.gradients[0].layer = 0;
  planned.gradients[1].layer = 2;
  planned.micro_batch[3].gradient = 1;
  planned.micro_batch[5].gradient = 0;
  MeasuredTimeline trace = trace_;
  trace.timeline = Timeline();
  trace.layers = {{"first", "", ""}, {"last", "", ""}};
  const TraceComparison got = compare_with_trace(graph(), planned, trace);
  EXPECT_TRUE(got.simulated);
  EXPECT_EQ(got.joined, 1u);
  ASSERT_THAT(got.layers, SizeIs(2));
  EXPECT_EQ(got.layers[0].layer, "first");
  EXPECT_DOUBLE_EQ(got.layers[0].predicted.forward.si(), 1 + 2);
  EXPECT_DOUBLE_EQ(got.layers[0].predicted.backward.si(), 2 + 1);
  EXPECT_DOUBLE_EQ(got.layers[1].predicted.forward.si(), 4);
  planned.gradients[1].layer = 1;
  EXPECT_EQ(compare_with_trace(graph(), planned, trace).joined, 0u);
}

TEST_F(Comparison, ComparesDeviceTimeWithKernelsAlone) {
  const TraceComparison got = compare_with_trace(graph(), plan(), trace_);
  EXPECT_TRUE(got.on_device);
  EXPECT_DOUBLE_EQ(got.layers[1].predicted.forward.si(), 2);
  EXPECT_DOUBLE_EQ(got.layers[1].predicted.backward.si(), 4);
  EXPECT_DOUBLE_EQ(got.layers[1].measured.backward.si(), 1);
  EXPECT_DOUBLE_EQ(got.layers[1].difference().si(), 4);
}

TEST_F(Comparison, ComparesHostTimeWithDispatchIncluded) {
  trace_.devices.clear();
  const TraceComparison got = compare_with_trace(graph(), plan(), trace_);
  EXPECT_DOUBLE_EQ(got.layers[1].predicted.backward.si(), 5);
}

TEST_F(Comparison, TakesTheIterationFromTheTraceWithoutTheFirst) {
  EXPECT_DOUBLE_EQ(compare_with_trace(graph(), plan(), trace_).measured_iteration.si(), 8.25);
}

}  // namespace
}  // namespace paceline
