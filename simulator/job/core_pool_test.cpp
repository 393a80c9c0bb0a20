// Workers that share the cores of one host.
#include "simulator/job/core_pool.h"

#include <gtest/gtest.h>

#include "simulator/engine/engine.h"
#include "simulator/strategies/testing/test_job.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {
namespace {

TestJob sharing(int workers, int cores, double work_per_byte, const std::string& net = "10gbe") {
  TestJob job = test_job(workers, 1, net);
  job.spec.shared_cores = SharedCores{cores, work_per_byte};
  return job;
}

// Cores that nobody lacks and sending that costs nothing are no limit at all. (Strategies that copy
// inside a host do so at the rate of a thread then, not of PCI Express.)
TEST(SharedCores, EnoughOfThemChangeNothing) {
  for (const char* strategy : {"none", "bsp", "gpu-tree", "parameter-server"}) {
    const JobResult free = run(test_job(4, 1), strategy);
    const JobResult shared = run(sharing(4, 1000, 1e-18), strategy);
    EXPECT_NEAR(shared.iteration_time / free.iteration_time, 1, 1e-6) << strategy;
  }
}

// DDP copies gradients into buckets and back. Workers on one host do so through one memory, however
// many cores it has: longer than each on a host of its own, but no longer than in turns.
TEST(SharedCores, KernelsThatStreamShareTheMemory) {
  const auto time = [](const TestJob& job, const char* view) {
    return run(job, "ddp", {{"gradient_as_bucket_view", view}}).iteration_time.si();
  };
  const double copies_alone = time(test_job(4, 1), "off") - time(test_job(4, 1), "on");
  const TestJob shared = sharing(4, 1000, 1e-18);
  const double copies_together = time(shared, "off") - time(shared, "on");
  EXPECT_GT(copies_together, copies_alone);
  EXPECT_LE(copies_together, 4 * copies_alone * (1 + 1e-6));
}

// Four workers on two cores have half a core each, whether one stands for all or each is simulated.
TEST(SharedCores, TwiceAsManyWorkersAsCoresComputeHalfAsFast) {
  const TestJob job = sharing(4, 2, 1e-18, "400gbe");
  const double alone = job.spec.profile.iteration_time().si();
  EXPECT_NEAR(run(job, "none").iteration_time.si(), 2 * alone, 1e-6 * alone);
  const JobResult free = run(test_job(4, 1, "400gbe"), "gpu-tree");
  const JobResult tree = run(job, "gpu-tree");
  // Only the update is done by one worker, which has a core for itself.
  const double doubled = alone - job.spec.profile.update.si();
  EXPECT_NEAR((tree.iteration_time - free.iteration_time).si(), doubled, 0.02 * doubled);
}

// What sending costs is lost to computing, no more and no less, while the cores are the limit.
TEST(SharedCores, WorkOfSendingIsAddedToComputing) {
  const TestJob cheap = sharing(2, 2, 1e-18, "400gbe");
  const TestJob dear = sharing(2, 2, 1e-9, "400gbe");
  const double bytes = cheap.spec.profile.gradient_bytes().si();  // a ring of two sends all once
  const double longer = (run(dear, "bsp").iteration_time - run(cheap, "bsp").iteration_time).si();
  EXPECT_GT(longer, 0);
  EXPECT_LE(longer, 1e-9 * bytes * (1 + 1e-6));
}

struct Ends {
  double computing = 0;
  double message = 0;
};

// A second of computing, and beside it a message that takes half a second and `share` of a core.
Ends beside_each_other(double share) {
  Platform platform;
  CorePool pool(platform, {1, share / 2e6});
  TaskGraphBuilder tasks;
  const TaskId a = tasks.add(pool.computing(SimTime::from(Seconds(1)), 1, 1, kNoResource, Label()));
  const TaskId b = tasks.add(pool.message(Seconds(0.5), Bytes(1e6), 1, kNoResource, Label()));
  const Schedule schedule = paceline::schedule(std::move(tasks).build(), platform);
  const auto end = [&](TaskId task) {
    return schedule.end[static_cast<std::size_t>(task)].seconds().si();
  };
  return {end(a), end(b)};
}

// A thread that needs less than its part of a core is not slowed: the other gets what is left.
// Sending takes 0.2 cores for 0.5 s, so computing has done 0.4 s of its second by then.
TEST(SharedCores, AThreadThatNeedsLittleIsNotSlowed) {
  const Ends ends = beside_each_other(0.2);
  EXPECT_NEAR(ends.message, 0.5, 1e-9);
  EXPECT_NEAR(ends.computing, 0.5 + 0.6, 1e-9);
}

// One that needs more gets the half: at 0.8 cores the message has 0.5 / 0.8 of its rate.
TEST(SharedCores, AThreadThatNeedsMuchGetsAnEqualPart) {
  const Ends ends = beside_each_other(0.8);
  EXPECT_NEAR(ends.message, 0.5 * 0.8 / 0.5, 1e-9);
  EXPECT_NEAR(ends.computing, 1 + 0.5 * 0.8, 1e-9);
}

}  // namespace
}  // namespace paceline
