// How frameworks of 2016 use the threads of a CPU.
#include "simulator/frameworks/cpu/cpu_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "model/graph/workload.h"
#include "simulator/device/training_device.h"
#include "simulator/report/prediction.h"

namespace paceline {
namespace {

constexpr const char* kOfCpus[] = {"caffe", "cntk", "mxnet", "tensorflow", "torch7"};

IssuedIteration issued(const std::string& framework, const std::string& model, std::int64_t batch,
                       int threads) {
  const WorkloadGraph graph = build_workload(workload_registry(), model, {.batch = batch});
  return framework_registry().make(framework)->issue(graph, {.threads = threads}, {});
}

bool is_product(const IssuedCall& call) {
  return call.kernel && call.kernel->implementation == "openblas.sgemm";
}

std::int64_t narrowest(const IssuedCall& call) {
  const auto& shape = std::get<GemmShape>(call.kernel->shape);
  return std::min(shape.m, shape.n);
}

// FLOP of all products of an iteration.
double product_flops(const IssuedIteration& iteration) {
  double sum = 0;
  for (const IssuedCall& call : iteration.micro_batch) {
    if (!is_product(call)) continue;
    const auto& s = std::get<GemmShape>(call.kernel->shape);
    sum += 2.0 * static_cast<double>(s.m * s.n * s.k * s.batch * call.repeat);
  }
  return sum;
}

// Caffe and MXNet have loops without threads beside BLAS; TensorFlow and CNTK use all for all. A
// product of ten columns is too narrow for OpenBLAS to share among eight threads.
TEST(CpuThreads, AreThoseThatEachFrameworkUses) {
  for (const std::string framework : {"caffe", "cntk", "mxnet", "tensorflow"}) {
    const bool serial = framework == "caffe" || framework == "mxnet";
    for (const IssuedCall& call : issued(framework, "fcn-r", 64, 8).micro_batch) {
      if (!call.kernel) continue;
      EXPECT_EQ(call.threads, serial && (!is_product(call) || narrowest(call) < 16) ? 1 : 0)
          << framework << " " << call.kernel->implementation;
    }
  }
}

// Torch has threads for normalisation and pooling, none for rectifiers.
TEST(CpuThreads, OfTorchDependOnTheLayer) {
  std::map<std::string, int> threads;
  for (const IssuedCall& call : issued("torch7", "resnet18", 8, 4).micro_batch) {
    if (call.kernel && !is_product(call)) threads[call.kernel->implementation] = call.threads;
  }
  EXPECT_EQ(threads.at("aten.relu_"), 1);
  EXPECT_EQ(threads.at("aten.relu_backward"), 1);
  EXPECT_EQ(threads.at("aten.batch_norm"), 0);
  EXPECT_EQ(threads.at("aten.max_pool"), 0);
}

// Columns and products are the convolution, whoever makes them: the same arithmetic in all that
// unroll, with images in turn or two threads at two images.
TEST(CpuThreads, UnrolledConvolutionsAreProductsOfTheSameSize) {
  const double in_turn = product_flops(issued("caffe", "alexnet-cifar", 16, 1));
  EXPECT_GT(in_turn, product_flops(issued("tensorflow", "alexnet-cifar", 16, 1)));
  EXPECT_DOUBLE_EQ(product_flops(issued("caffe", "alexnet-cifar", 16, 8)), in_turn);
  EXPECT_DOUBLE_EQ(product_flops(issued("torch7", "alexnet-cifar", 16, 1)), in_turn);
}

// Torch gives each thread an image of its own, 16 images in 2 rounds of 8 threads, 3 of 7; the
// gradients of the filters add up image after image.
TEST(CpuThreads, ImagesInParallelAreRoundsOfAsManyAsThreads) {
  const auto rounds = [](int threads, bool of_filters) {
    std::int64_t most = 0;
    for (const IssuedCall& call : issued("torch7", "alexnet-cifar", 16, threads).micro_batch) {
      if (!is_product(call) || call.repeat == 1) continue;
      if (std::get<GemmShape>(call.kernel->shape).trans_a != of_filters) continue;
      EXPECT_EQ(call.side_by_side, threads > 1 && !of_filters);
      most = std::max(most, call.repeat);
    }
    return most;
  };
  EXPECT_EQ(rounds(1, false), 16);
  EXPECT_EQ(rounds(8, false), 2);
  EXPECT_EQ(rounds(7, false), 3);
  EXPECT_EQ(rounds(8, true), 16);
}

double seconds_of(const std::string& framework, int threads, const std::string& phases) {
  Experiment e;
  e.model = "resnet18";
  e.batch = 16;
  e.device = "e5-2630-v3";
  e.framework = framework;
  e.threads = threads;
  e.options = {{"sockets", "2"}, {"phases", phases}};
  e.draws = 20;
  const auto device = read_training_device(e.device, e.options);
  return Predictor().predict(e, *device).report.iteration_time_s.median;
}

// 16 images on 16 cores with 32 threads: half of the threads have none, and two threads that share
// a core are no faster than one.
TEST(CpuThreads, MoreThreadsThanImagesDoNotHelpTorch) {
  EXPECT_GT(seconds_of("torch7", 32, "forward"), 1.3 * seconds_of("torch7", 16, "forward"));
  EXPECT_LT(seconds_of("torch7", 16, "forward"), seconds_of("torch7", 8, "forward"));
}

// Parts of an iteration are parts of its time.
TEST(CpuThreads, PhasesAreShorterThanTheWhole) {
  for (const char* framework : {"pytorch", "torch7"}) {
    const double forward = seconds_of(framework, 16, "forward");
    const double both = seconds_of(framework, 16, "forward-backward");
    EXPECT_LT(2 * forward, 1.3 * both) << framework;
    EXPECT_LT(forward, both) << framework;
    EXPECT_LT(both, seconds_of(framework, 16, "training")) << framework;
  }
}

// A gradient for each tensor, final once, as on a GPU.
TEST(CpuThreads, LeaveTheGradientsAsTheyAre) {
  for (const char* framework : kOfCpus) {
    const IssuedIteration out = issued(framework, "alexnet-cifar", 2, 4);
    std::vector<int> final(out.gradients.size());
    for (const IssuedCall& call : out.micro_batch) {
      if (call.gradient != PlannedCall::kNoGradient) ++final.at(call.gradient);
    }
    EXPECT_THAT(final, testing::Each(1)) << framework;
  }
}

}  // namespace
}  // namespace paceline
