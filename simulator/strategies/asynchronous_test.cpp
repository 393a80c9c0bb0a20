// Workers that wait for nobody: laws of strategies that are asynchronous.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/hardware/link_catalog.h"
#include "simulator/strategies/testing/test_job.h"

namespace paceline {
namespace {

class Asynchronous : public testing::TestWithParam<std::string> {
 protected:
  double seconds(const TestJob& job, const std::map<std::string, std::string>& set = {}) const {
    return run(job, GetParam(), set).iteration_time.si();
  }
};

INSTANTIATE_TEST_SUITE_P(Strategies, Asynchronous,
                         testing::Values("async-parameter-server", "dist-async"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// The job with tensors like those of VGG-16: one of them is three quarters of all bytes, and takes
// a server about as long as a device takes for its iteration.
TestJob with_one_large_tensor(int machines, int per_machine, const std::string& net) {
  TestJob job = test_job(machines, per_machine, net);
  GradientTensor& large = job.spec.profile.gradients.at(12);
  large.elements = 100'000'000;
  large.bytes = Bytes(4e8);
  return job;
}

bool no_worse(const LinkSpec& a, const LinkSpec& b) {
  const auto flow = [](const LinkSpec& link) { return link.per_flow.value_or(link.achieved); };
  return a.achieved >= b.achieved && a.latency <= b.latency && flow(a) >= flow(b);
}

// No network of the catalog is slower than one that is no better in anything, from jobs that the
// cable bounds to jobs that the server or the device bounds.
TEST_P(Asynchronous, AFasterNetworkNeverMakesAJobSlower) {
  const LinkCatalog catalog = LinkCatalog::shipped();
  for (const int machines : {2, 3, 8, 24}) {
    std::vector<std::pair<LinkSpec, double>> known;
    for (const LinkSpec& link : catalog.links()) {
      if (!is_network(link.kind)) continue;
      const TestJob job = with_one_large_tensor(machines, 2, link.name);
      known.emplace_back(*job.spec.cluster.network, seconds(job));
    }
    ASSERT_GT(known.size(), 10u);
    for (const auto& [fast, least] : known) {
      for (const auto& [slow, most] : known) {
        if (!no_worse(fast, slow)) continue;
        EXPECT_LE(least, most * (1 + 2e-6)) << fast.name << " beside " << slow.name;
      }
    }
  }
}

// A job is never faster than one worker alone, nor than the busiest resource of a server, which all
// workers share; nor slower than workers that have all of it in turn.
TEST_P(Asynchronous, TimesLieBetweenOneWorkerAndAllInTurn) {
  for (const char* net : {"1gbe", "10gbe", "100g-ib"}) {
    const TestJob two = with_one_large_tensor(2, 1, net);
    const double bytes = two.spec.profile.gradient_bytes().si();
    const double cable = bytes / two.spec.cluster.network->achieved.si();
    const double adding = bytes / (2.0 / 3.0 * two.spec.processor_rate.si());
    const double alone = two.spec.profile.iteration_time().si();
    for (const int workers : {2, 4, 16}) {
      const double time = seconds(with_one_large_tensor(workers, 1, net));
      EXPECT_GE(time, workers * std::max(cable, adding) * (1 - 1e-6)) << net << workers;
      EXPECT_LE(time, alone + workers * (2 * cable + adding)) << net << workers;
    }
  }
}

// One server that is always busy passes on as much as it can: twice as many workers take twice as
// long, and three servers, with 12, 15 and 9 parts of the bytes, less than half of it.
TEST_P(Asynchronous, ABusyServerIsSharedByItsWorkers) {
  const double some = seconds(test_job(32, 1, "1gbe"));
  EXPECT_NEAR(seconds(test_job(64, 1, "1gbe")) / some, 2, 0.1);
  EXPECT_LT(seconds(test_job(32, 1, "1gbe"), {{"servers", "3"}}), 0.6 * some);
}

// Each worker goes its own way, so that a thousand are simulated like two.
TEST_P(Asynchronous, ThousandsOfWorkersAreNoMoreTasks) {
  EXPECT_GT(seconds(test_job(4096, 1, "10gbe")), seconds(test_job(1024, 1, "10gbe")));
}

// Devices of a machine share the memory of its processor, which adds for all of them.
TEST_P(Asynchronous, DevicesOfOneMachineWaitForTheProcessorThatServesThem) {
  const double two = seconds(test_job(1, 2)), eight = seconds(test_job(1, 8));
  const double adding = test_job(1, 8).spec.profile.gradient_bytes().si() /
                        (2.0 / 3.0 * test_job(1, 8).spec.processor_rate.si());
  EXPECT_GT(eight, two);
  EXPECT_GE(eight, 8 * adding * (1 - 1e-6));
}

// What a server does for all its workers is its share of the time, not what it does for one.
TEST_P(Asynchronous, TheBottleneckIsBusyForAllWorkers) {
  const JobResult result = run(test_job(32, 1, "400g-ib"), GetParam());
  EXPECT_EQ(result.busiest, "host/server 0 updates");
  EXPECT_GT(result.busiest_share, 0.95);
  EXPECT_LE(result.busiest_share, 1 + 1e-6);
}

}  // namespace
}  // namespace paceline
