// How frameworks of 2016 use the threads of a CPU.
#include "simulator/frameworks/cpu/cpu_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph/workload.h"

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

// Caffe and MXNet have loops without threads beside BLAS; TensorFlow and CNTK use all for all.
TEST(CpuThreads, AreThoseThatEachFrameworkUses) {
  for (const std::string framework : kOfCpus) {
    const bool serial = framework == "caffe" || framework == "mxnet";
    for (const IssuedCall& call : issued(framework, "fcn-r", 64, 8).micro_batch) {
      if (!call.kernel) continue;
      EXPECT_EQ(call.threads, !is_product(call) && serial ? 1 : 0)
          << framework << " " << call.kernel->implementation;
    }
  }
}

// Columns and products are the convolution, whoever makes them: the same arithmetic in all that
// unroll, with images in turn or two threads at two images.
TEST(CpuThreads, UnrolledConvolutionsAreProductsOfTheSameSize) {
  const double in_turn = product_flops(issued("caffe", "alexnet-cifar", 16, 1));
  EXPECT_GT(in_turn, product_flops(issued("tensorflow", "alexnet-cifar", 16, 1)));
  EXPECT_DOUBLE_EQ(product_flops(issued("caffe", "alexnet-cifar", 16, 8)), in_turn);
  EXPECT_DOUBLE_EQ(product_flops(issued("torch7", "alexnet-cifar", 16, 1)), in_turn);
}

// Torch gives each thread an image of its own: 16 images in 2 rounds of 8 threads, 3 of 7.
TEST(CpuThreads, ImagesInParallelAreRoundsOfOneThread) {
  const auto rounds = [](int threads) {
    std::int64_t most = 0;
    for (const IssuedCall& call : issued("torch7", "alexnet-cifar", 16, threads).micro_batch) {
      if (!is_product(call) || call.threads != 1) continue;
      most = std::max(most, call.repeat);
    }
    return most;
  };
  EXPECT_EQ(rounds(1), 16);
  EXPECT_EQ(rounds(8), 2);
  EXPECT_EQ(rounds(7), 3);
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
