// Small traces written by hand, each with one oddity that real profiles have, and one that PyTorch
// itself wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/json_writer.h"
#include "core/temporary_folder.h"
#include "traces/import/trace_importer.h"

namespace paceline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

namespace fs = std::filesystem;

class Kineto : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& events,
                 const std::string& head = R"("deviceProperties":[{"name":"H100"}],)") {
    write_text_file(folder_ / name, "{" + head + "\"traceEvents\":[" + events + "]}");
    return folder_ / name;
  }
  MeasuredTimeline import(const std::string& events) {
    return import_trace({write("trace.json", events)}, {});
  }
  TemporaryFolder folder_;
};

std::string event(const std::string& category, const std::string& name, const std::string& ts,
                  const std::string& dur, const std::string& arguments = "", int tid = 1) {
  const bool device = category == "kernel" || category.starts_with("gpu_mem");
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":)" +
         (device ? "0" : "100") + ",\"tid\":" + std::to_string(device ? 7 : tid) + ",\"ts\":" + ts +
         ",\"dur\":" + dur + ",\"args\":{" + arguments + "}},";
}

// One iteration of a network of one convolution: forward, backward on a thread of its own, update.
std::string iteration(const std::string& number, int at) {
  const auto us = [at](int offset) { return std::to_string(at + offset) + ".250"; };
  const std::string c = std::to_string(at);  // correlation numbers of this iteration
  return event("user_annotation", "ProfilerStep#" + number, us(0), "100.5") +
         event("cpu_op", "aten::conv2d", us(1), "10",
               R"("Sequence number":)" + c + R"(,"Input Dims":[[8,3,9,9]])") +
         event("cpu_op", "aten::cudnn_convolution", us(2), "8", "\"Sequence number\":" + c) +
         event("cuda_runtime", "cudaLaunchKernel", us(3), "1", "\"correlation\":1" + c) +
         event("kernel", "implicit_gemm", us(10), "20",
               "\"correlation\":1" + c + ",\"device\":0,\"stream\":7") +
         event("cpu_op", "autograd::engine::evaluate_function: ConvolutionBackward0", us(32), "9",
               "\"Sequence number\":" + c + ",\"Fwd thread id\":1", 2) +
         event("cuda_runtime", "cudaLaunchKernel", us(33), "1", "\"correlation\":2" + c, 2) +
         event("kernel", "dgrad", us(40), "30",
               "\"correlation\":2" + c + ",\"device\":0,\"stream\":7") +
         event("user_annotation", "Optimizer.step#SGD.step", us(50), "9") +
         event("cpu_op", "aten::add_", us(51), "5") +
         event("cuda_runtime", "cudaLaunchKernel", us(52), "1", "\"correlation\":3" + c) +
         event("kernel", "add", us(75), "4",
               "\"correlation\":3" + c + ",\"device\":0,\"stream\":7");
}

std::string without_comma(std::string events) {
  events.pop_back();
  return events;
}

TEST_F(Kineto, GivesEveryKernelTheLayerAndPhaseOfTheOperatorThatLaunchedIt) {
  const MeasuredTimeline got =
      import(without_comma(iteration("5", 1000) + iteration("6", 2000) + iteration("7", 3000)));
  EXPECT_EQ(got.source, "kineto");
  EXPECT_THAT(got.warnings, IsEmpty());
  EXPECT_THAT(got.devices, ElementsAre("H100"));
  EXPECT_THAT(got.iterations_s, testing::Each(testing::DoubleEq(100.5e-6)));
  EXPECT_THAT(got.iterations_s, SizeIs(3));
  ASSERT_THAT(got.layers, SizeIs(1));
  EXPECT_EQ(got.layers[0].operation, "aten::conv2d");
  EXPECT_EQ(got.layers[0].shape, "[[8,3,9,9]]");
  const auto layers = layer_times(got);
  EXPECT_DOUBLE_EQ(layers[0].forward.si(), 20e-6);
  EXPECT_DOUBLE_EQ(layers[0].backward.si(), 30e-6);
  EXPECT_DOUBLE_EQ(other_times(got).optimizer.si(), 4e-6);
  EXPECT_DOUBLE_EQ(other_times(got).unattributed.si(), 0);
}

// The thread of the backward pass may run more operators than that of the forward pass.
TEST_F(Kineto, TakesLayersFromTheForwardThread) {
  std::string backward =
      event("cpu_op", "autograd::engine::evaluate_function: ReluBackward0", "50", "40", "", 2);
  for (int i = 0; i < 9; ++i) {
    backward += event("cpu_op", "aten::copy_", std::to_string(51 + 3 * i), "2", "", 2);
  }
  const MeasuredTimeline got =
      import(backward + without_comma(event("cpu_op", "aten::relu", "10", "5")));
  ASSERT_THAT(got.layers, SizeIs(1));
  EXPECT_EQ(got.layers[0].operation, "aten::relu");
}

TEST_F(Kineto, TiesKernelsToTheirLaunches) {
  const MeasuredTimeline got = import(without_comma(iteration("0", 1000)));
  int tied = 0;
  for (std::size_t i = 0; i < got.timeline.size(); ++i) {
    const Span span = got.timeline.at(i);
    if (span.cause == kNoSpan) continue;
    ++tied;
    EXPECT_EQ(got.timeline.name(got.timeline[span.cause].label.name), "cudaLaunchKernel");
    EXPECT_EQ(got.timeline.track_name(span.track), "gpu0/stream 7");
  }
  EXPECT_EQ(tied, 3);
}

// Microseconds since 1970 with decimals need more digits than a double has.
TEST_F(Kineto, KeepsNanosecondsOfTimesSinceTheEpoch) {
  const MeasuredTimeline got =
      import(event("kernel", "a", "1700000000123456.001", "0.003") +
             without_comma(event("kernel", "b", "1700000000123456.005", "0.001")));
  EXPECT_EQ(got.timeline.at(1).start.picoseconds(), 4000);
  EXPECT_EQ(got.timeline.at(0).duration().picoseconds(), 3000);
}

TEST_F(Kineto, RefusesEventsFurtherApartThanATimelineHolds) {
  try {
    import(event("kernel", "a", "1", "1") +
           without_comma(event("kernel", "b", "1700000000123456", "1")));
    FAIL() << "53 years in one timeline";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(".json: the event \"b\" begins or lasts more than 53 days"));
  }
}

TEST_F(Kineto, WithoutCorrelationLeavesKernelsWithoutALayerAndSaysSo) {
  const MeasuredTimeline got = import(event("cpu_op", "aten::relu", "10", "5") +
                                      without_comma(event("kernel", "k", "12", "4")));
  EXPECT_THAT(got.warnings, Contains(HasSubstr("1 of 1 pieces of device work have no launch")));
  EXPECT_DOUBLE_EQ(other_times(got).unattributed.si(), 4e-6);
}

TEST_F(Kineto, CountsNegativeDurationsAsZeroAndSaysSo) {
  const MeasuredTimeline got =
      import(event("kernel", "a", "10", "-3") + without_comma(event("kernel", "b", "20", "1")));
  EXPECT_EQ(got.timeline.at(0).duration(), SimTime());
  EXPECT_THAT(got.warnings, Contains(HasSubstr("1 events have a negative duration")));
}

TEST_F(Kineto, ReadsNumbersThatAreTexts) {
  const MeasuredTimeline got =
      import(event("cpu_op", "aten::relu", "\"10\"", "\"5\"", R"("Sequence number":"4")") +
             event("cuda_runtime", "cudaLaunchKernel", "\"11\"", "\"1\"", R"("correlation":"9")") +
             without_comma(event("kernel", "k", "\"12.5\"", "\"4.25\"", R"("correlation":"9")")));
  EXPECT_DOUBLE_EQ(layer_times(got).at(0).forward.si(), 4.25e-6);
}

// Old versions round every time to a microsecond: a child may end after its parent, and a sibling
// begin before the one before it has ended.
TEST_F(Kineto, NestsOperatorsThatWereRoundedToMicroseconds) {
  const MeasuredTimeline got =
      import(event("cpu_op", "aten::linear", "10", "5") +
             event("cpu_op", "aten::addmm", "12", "4") + event("cpu_op", "aten::relu", "15", "6") +
             without_comma(event("cpu_op", "aten::clamp_min", "16", "5")));
  ASSERT_THAT(got.layers, SizeIs(2));
  EXPECT_EQ(got.layers[0].operation, "aten::linear");
  EXPECT_EQ(got.layers[1].operation, "aten::relu");
}

TEST_F(Kineto, KnowsTheCategoriesOfOldVersions) {
  const MeasuredTimeline got = import(
      event("Operator", "aten::relu", "10", "5") +
      event("Runtime", "cudaLaunchKernel", "11", "1", "\"correlation\":9") +
      R"({"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":12,"dur":4,"args":{"correlation":9}})");
  EXPECT_DOUBLE_EQ(layer_times(got).at(0).forward.si(), 4e-6);
}

TEST_F(Kineto, WithoutStepsEndsIterationsWithTheOptimizer) {
  std::string events = iteration("0", 1000) + iteration("1", 2000) + iteration("2", 3000);
  for (std::size_t at; (at = events.find("ProfilerStep#")) != std::string::npos;) {
    events.replace(at, 13, "my own marker ");
  }
  const MeasuredTimeline got = import(without_comma(events));
  EXPECT_THAT(got.warnings,
              Contains(HasSubstr("marks no iterations: they end with each Optimizer")));
  EXPECT_THAT(got.iterations_s, ElementsAre(testing::DoubleEq(1e-3), testing::DoubleEq(1e-3)));
  EXPECT_DOUBLE_EQ(layer_times(got).at(0).backward.si(), 30e-6);
}

TEST_F(Kineto, NamesLayersAfterTheModulesOfTheNetwork) {
  const MeasuredTimeline got = import(event("python_function", "nn.Module: Net_0", "1", "50") +
                                      event("python_function", "train.py(3): forward", "2", "40") +
                                      event("python_function", "nn.Module: Conv2d_0", "3", "20") +
                                      without_comma(event("cpu_op", "aten::conv2d", "5", "10")));
  ASSERT_THAT(got.layers, SizeIs(1));
  EXPECT_EQ(got.layers[0].module, "nn.Module: Conv2d_0");
  EXPECT_EQ(got.timeline.size(), 1u) << "modules and Python functions are no spans";
}

TEST_F(Kineto, PutsSeveralRanksOnTracksOfTheirOwn) {
  const auto head = [](int rank) {
    return "\"distributedInfo\":{\"rank\":" + std::to_string(rank) + "},";
  };
  const fs::path one = write("b.json", without_comma(iteration("0", 1500)), head(1));
  const fs::path zero = write("a.json", without_comma(iteration("0", 1000)), head(0));
  const MeasuredTimeline got = import_trace({one, zero}, {});
  EXPECT_EQ(got.timeline.track_name(got.timeline.at(0).track), "rank0 cpu/thread 1");
  EXPECT_EQ(got.timeline.at(0).label.rank, 0);
  const Span last = got.timeline.at(got.timeline.size() - 1);
  EXPECT_EQ(last.label.rank, 1);
  EXPECT_EQ(got.timeline.track_name(last.track), "rank1 gpu0/stream 7");
  EXPECT_EQ(last.start.picoseconds(), 575'000'000) << "one clock for all ranks";
  EXPECT_THROW(import_trace({one, one}, {}), InputError);
}

TEST_F(Kineto, TakesTheRankFromTheFileNameWhereTheFileDoesNotSay) {
  const std::string events = without_comma(event("kernel", "k", "1", "1"));
  const MeasuredTimeline got = import_trace({write("run_rank3.json", events)}, {});
  EXPECT_EQ(got.timeline.at(0).label.rank, 3);
  EXPECT_EQ(import_trace({write("run.json", events)}, {.rank = 5}).timeline.at(0).label.rank, 5);
}

TEST_F(Kineto, KeepsWhatATruncatedFileHoldsAndSaysSo) {
  write_text_file(folder_ / "cut.json",
                  R"({"schemaVersion":1,"traceEvents":[)" + iteration("0", 1000) + R"({"ph":"X")");
  const MeasuredTimeline got = import_trace({folder_ / "cut.json"}, {});
  EXPECT_THAT(got.layers, SizeIs(1));
  EXPECT_THAT(got.iterations_s, IsEmpty()) << "the only iteration may lack its end";
  EXPECT_THAT(got.warnings, Contains(HasSubstr("the end of the run is missing")));
}

TEST_F(Kineto, DoesNotTimeTheLastIterationOfATruncatedFile) {
  write_text_file(folder_ / "cut.json", R"({"schemaVersion":1,"traceEvents":[)" +
                                            iteration("0", 1000) + iteration("1", 2000) +
                                            R"({"ph":"X")");
  const MeasuredTimeline got = import_trace({folder_ / "cut.json"}, {});
  EXPECT_THAT(got.iterations_s, ElementsAre(testing::DoubleEq(100.5e-6)));
  EXPECT_DOUBLE_EQ(layer_times(got).at(0).forward.si(), 20e-6);
  EXPECT_DOUBLE_EQ(layer_times(got).at(0).backward.si(), 30e-6);
}

TEST_F(Kineto, CollectivesAndCopiesAreWhatTheyAre) {
  const MeasuredTimeline got =
      import(event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "1", "8") +
             event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "10", "2") +
             without_comma(event("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", "20", "1")));
  EXPECT_EQ(got.timeline.at(0).label.kind, SpanKind::kCommunicate);
  EXPECT_EQ(got.timeline.at(1).label.kind, SpanKind::kHostToDevice);
  EXPECT_EQ(got.timeline.at(2).label.kind, SpanKind::kDeviceToHost);
  EXPECT_DOUBLE_EQ(other_times(got).copies.si(), 3e-6);
}

// Written by PyTorch 2.6.0 on a CPU, with Kineto: three iterations of a small network of ours
// (traces/import/testdata/README.md).
TEST(KinetoOfPyTorch, BecomesLayersThatFillTheIteration) {
  const fs::path file =
      fs::path(PACELINE_SOURCE_DIR) / "traces/import/testdata/pytorch-2.6-cpu.json.gz";
  const MeasuredTimeline got = import_trace({file}, {});
  EXPECT_EQ(got.source, "kineto");
  EXPECT_THAT(got.warnings, IsEmpty());
  EXPECT_THAT(got.devices, IsEmpty());
  std::vector<std::string> operations;
  for (const MeasuredLayer& layer : got.layers) operations.push_back(layer.operation);
  EXPECT_THAT(operations, testing::IsSupersetOf({"aten::conv2d", "aten::batch_norm", "aten::relu_",
                                                 "aten::linear", "aten::cross_entropy_loss"}));
  ASSERT_THAT(got.iterations_s, SizeIs(3));
  double layers = 0;
  const auto times = layer_times(got);
  for (std::size_t i = 0; i < times.size(); ++i) {
    layers += (times[i].forward + times[i].backward).si();
    if (operations[i] == "aten::conv2d") {
      EXPECT_GT(times[i].forward.si(), 0);
      EXPECT_GT(times[i].backward.si(), 0);
    }
  }
  // The rest is Python between the operators.
  const double iteration = got.iterations_s[1];
  EXPECT_GT(layers + other_times(got).optimizer.si(), 0.5 * iteration);
  EXPECT_LT(layers + other_times(got).optimizer.si(), 1.5 * iteration);
}

}  // namespace
}  // namespace paceline
