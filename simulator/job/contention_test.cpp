#include "simulator/job/contention.h"

#include <gtest/gtest.h>

#include "simulator/strategies/testing/test_job.h"

namespace paceline {
namespace {

const OverlapCatalog& catalog() {
  static const OverlapCatalog shipped = OverlapCatalog::shipped();
  return shipped;
}

Contention contention(double multiprocessors = 80) {
  return {{multiprocessors, BytesPerSecond(900e9)}, &catalog(), 0.5};
}

// Four devices on one machine, kernels bound by arithmetic or by memory.
TestJob job(bool by_arithmetic = true) {
  TestJob out = test_job(1, 4);
  for (auto* segments : {&out.spec.profile.forward, &out.spec.profile.backward}) {
    for (ComputeSegment& segment : *segments) {
      (by_arithmetic ? segment.compute_bound : segment.memory_bound) = segment.time;
    }
  }
  return out;
}

double time_of(TestJob job, const std::string& strategy, bool contended,
               const std::map<std::string, std::string>& set = {}) {
  if (contended) job.spec.contention = contention();
  return run(job, strategy, set).iteration_time.si();
}

TEST(Contention, ChangesNothingWhereNothingOverlaps) {
  EXPECT_NEAR(time_of(job(), "bsp", true), time_of(job(), "bsp", false), 1e-9);
}

TEST(Contention, SlowsWhatRunsBesideCollectives) {
  for (const char* strategy : {"wfbp", "ddp", "horovod", "byteps", "fsdp", "zero-3"}) {
    EXPECT_GT(time_of(job(), strategy, true), time_of(job(), strategy, false)) << strategy;
  }
}

// MPI sums on processors: the device keeps all it has.
TEST(Contention, IsOfLibrariesThatRunOnTheDevice) {
  const std::map<std::string, std::string> mpi{{"library", "mpi"}};
  EXPECT_NEAR(time_of(job(), "wfbp", true, mpi), time_of(job(), "wfbp", false, mpi), 1e-9);
}

// A message of t seconds, hidden behind kernels that arithmetic bounds, takes n of S
// multiprocessors for that long: they fall behind by t n / S, and the message does not.
TEST(Contention, DelaysHiddenKernelsByWhatTheCollectiveTakes) {
  TestJob one = job();
  ComputeProfile& profile = one.spec.profile;
  profile.layers = {"early", "late"};
  profile.gradients = {{.name = "small", .layer = 0, .elements = 1, .bytes = Bytes(4)},
                       {.name = "large", .layer = 1, .elements = 10'000'000, .bytes = Bytes(4e7)}};
  const Seconds layer(0.1);
  profile.forward = {{.layer = 0, .time = layer, .compute_bound = layer},
                     {.layer = 1, .time = layer, .compute_bound = layer}};
  profile.backward = {{.layer = 1, .time = layer, .compute_bound = layer, .gradients = {1}},
                      {.layer = 0, .time = layer, .compute_bound = layer, .gradients = {0}}};
  const CommunicationModels models;
  Communicator communicator(models, one.spec.cluster, "volta", 0);
  const CollectiveCost message =
      communicator.cost(CollectiveOp::kAllReduce, Bytes(4e7), one.spec.group);
  const double taken = contention().demand(message, 0)->multiprocessors / 80;
  ASSERT_LT(message.time, layer);
  EXPECT_GT(taken, 0.01);
  EXPECT_NEAR(time_of(one, "wfbp", true) - time_of(one, "wfbp", false), taken * message.time.si(),
              2e-5);
}

// Both ways to say it agree: the fluid of the simulation, and the factor of the closed form.
TEST(Contention, SlowDownIsThatOfTheFluid) {
  const Contention on = contention();
  CollectiveCost cost;
  cost.library = "nccl";
  cost.channels = 24;
  cost.bus_rate = BytesPerSecond(100e9);
  const auto demand = on.demand(cost, 0);
  ComputeSegment work{.time = Seconds(1), .compute_bound = Seconds(1)};
  EXPECT_NEAR(slow_down(on, demand, work), 80 / (80 - demand->multiprocessors), 1e-12);
  work = {.time = Seconds(1), .memory_bound = Seconds(1)};
  EXPECT_NEAR(slow_down(on, demand, work), 900 / (900 - 250.0), 1e-12);
  work = {.time = Seconds(1)};
  EXPECT_EQ(slow_down(on, demand, work), 1);
}

TEST(Contention, TakesMoreTheMoreChannelsAndNeverTheWholeDevice) {
  CollectiveCost cost;
  cost.library = "nccl";
  cost.bus_rate = BytesPerSecond(1e9);
  double last = 0;
  for (const int channels : {1, 2, 8, 24, 32}) {
    cost.channels = channels;
    const double taken = contention(20).demand(cost, 0)->multiprocessors;
    EXPECT_GE(taken, last);
    EXPECT_LT(taken, 20);
    last = taken;
  }
  cost.library = "gloo";
  EXPECT_FALSE(contention().demand(cost, 0).has_value());
  cost.library = "nccl";
  EXPECT_FALSE(contention(0).demand(cost, 0).has_value());
}

}  // namespace
}  // namespace paceline
