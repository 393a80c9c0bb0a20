// What single mechanisms do to a job, where the laws of strategies_test.cpp do not tell them apart.
#include <gtest/gtest.h>

#include "simulator/strategies/testing/test_job.h"

namespace paceline {
namespace {

double seconds(const TestJob& job, const std::string& strategy,
               const std::map<std::string, std::string>& set = {}) {
  return run(job, strategy, set).iteration_time.si();
}

// ps-lite has one socket to each server: a sum is asked for behind the pushes that wait there.
// After a backward pass all of them wait, so a slow cable carries everything up before anything
// comes down.
TEST(Servers, PushesAndPullsTakeTurnsOnASlowNetwork) {
  const TestJob job = test_job(2, 1, "1 Gb/s@30us");
  const double bytes = job.spec.profile.gradient_bytes().si();
  const double each_way = bytes / job.spec.cluster.network->achieved.si();
  const double alone = job.spec.profile.iteration_time().si();
  const double time = seconds(job, "bsp", {{"aggregation", "parameter-server"}});
  EXPECT_NEAR(time, alone + 2 * each_way, 0.1 * each_way);
}

// MXNet hands over the keys of the first layers first; none overtakes in the socket. One server
// takes the pushes of both machines and answers both.
TEST(Servers, KeysOfMxnetDoNotOvertakeEachOther) {
  const TestJob job = test_job(2, 1, "1 Gb/s@30us");
  const double bytes = job.spec.profile.gradient_bytes().si();
  const double each_way = 2 * bytes / job.spec.cluster.network->achieved.si();
  EXPECT_GT(seconds(job, "dist-sync", {{"servers", "1"}}), 1.98 * each_way);
}

// Beside the backward pass the cable is idle now and then, and pulls need not wait.
TEST(Servers, TurnsCostLessWherePushesDoNotQueue) {
  const TestJob job = test_job(2, 1, "10 Gb/s@30us");
  const double bytes = job.spec.profile.gradient_bytes().si();
  const double each_way = bytes / job.spec.cluster.network->achieved.si();
  const double alone = job.spec.profile.iteration_time().si();
  EXPECT_LT(seconds(job, "byteps"), alone + 0.5 * each_way);
}

// One process copies the batches of all its devices before any of them starts; where each device
// has its own process or copy engine, each waits for its own batch only.
TEST(Feeding, IsDoneForAllDevicesByOneProcess) {
  TestJob job = test_job(1, 4);
  const auto more = [&](const std::string& strategy) {
    job.spec.profile.begin = job.spec.profile.feed = Seconds();
    const double without = seconds(job, strategy);
    job.spec.profile.begin = job.spec.profile.feed = Seconds(5e-3);
    return seconds(job, strategy) - without;
  };
  EXPECT_NEAR(more("data-parallel-table"), 4 * 5e-3, 1e-6);
  EXPECT_NEAR(more("replicated"), 4 * 5e-3, 1e-6);
  EXPECT_NEAR(more("gpu-tree"), 5e-3, 1e-6);
  EXPECT_NEAR(more("layer-wise-all-reduce"), 5e-3, 1e-6);
}

// TensorFlow's owner adds on the stream of its own kernels: n gradients are read and one is written
// behind its backward pass, however fast the links are.
TEST(ParameterServer, OwnersAddOnTheirOnlyStream) {
  const TestJob job = test_job(1, 4, "", "1000 GB/s@1us");
  const double bytes = job.spec.profile.gradient_bytes().si();
  constexpr double kMemory = 5e11;  // B/s of the test's device
  const double time = seconds(job, "parameter-server", {{"placement", "first"}});
  EXPECT_GE(time, job.spec.profile.iteration_time().si() + 5 * bytes / kMemory);
  // Spread over the devices, each adds a part of them.
  EXPECT_LT(seconds(job, "parameter-server"), time);
}

// A copy between devices waits for the stream of the one that receives, which holds the owner's
// whole backward pass: gradients cost the time of their bytes, even if variables are read a step
// ahead.
TEST(ParameterServer, GradientsArriveBehindTheBackwardPassOfTheirOwner) {
  const TestJob job = test_job(1, 2, "", "10 GB/s@1us");
  const double compute = job.spec.profile.iteration_time().si() - job.spec.profile.update.si();
  const double sent = job.spec.profile.gradient_bytes().si() / 1e10;
  const double time =
      seconds(job, "parameter-server", {{"placement", "first"}, {"staged_vars", "on"}});
  EXPECT_GE(time, compute + sent);
}

// Variables that are read a step ahead cost nothing where the link can hide them beside computing;
// read in their own step they take longer here than the forward pass that could hide them.
TEST(ParameterServer, StagedVariablesHideWhatIsRead) {
  const TestJob job = test_job(1, 2, "", "500 MB/s@1us");
  const double compute =
      job.spec.profile.iteration_time().si() - job.spec.profile.update.si();  // servers update
  for (const char* device : {"cpu", "gpu"}) {
    const double plain = seconds(job, "parameter-server", {{"local_parameter_device", device}});
    const double staged = seconds(job, "parameter-server",
                                  {{"local_parameter_device", device}, {"staged_vars", "on"}});
    EXPECT_LT(staged - compute, 0.9 * (plain - compute)) << device;
  }
}

// The longest agreement of Horovod's ranks, without its cache, costs time; but ranks agree on the
// next message while one is on its way, so that a job which waits for its network hardly notices.
TEST(Negotiation, IsHiddenBehindMessages) {
  const TestJob slow = test_job(8, 1, "1 Gb/s@30us");
  const double cached = seconds(slow, "wfbp");
  const double full = seconds(slow, "wfbp", {{"negotiation", "full"}});
  EXPECT_GT(full, cached);
  EXPECT_LT(full, 1.01 * cached);
}

}  // namespace
}  // namespace paceline
