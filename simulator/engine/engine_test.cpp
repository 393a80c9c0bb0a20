// What single tasks and small contended systems do, each with the expectation in words.
#include "simulator/engine/engine.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "core/error.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {
namespace {

SimTime us(double value) { return SimTime::from(Seconds(value * 1e-6)); }

SimTime end_of(const Schedule& schedule, TaskId task) {
  return schedule.end[static_cast<std::size_t>(task)];
}
SimTime start_of(const Schedule& schedule, TaskId task) {
  return schedule.start[static_cast<std::size_t>(task)];
}

TEST(Engine, AnEmptyGraphTakesNoTime) {
  EXPECT_EQ(schedule(TaskGraphBuilder().build(), Platform()).makespan, SimTime());
}

TEST(Engine, ATaskStartsWhenItsLastPredecessorEnds) {
  TaskGraphBuilder builder;
  const TaskId quick = builder.add(fixed_task(us(3)));
  const TaskId slow = builder.add(fixed_task(us(5)));
  const TaskId last = builder.add(fixed_task(us(2)), {quick, slow});
  const Schedule result = schedule(std::move(builder).build(), Platform());
  EXPECT_EQ(start_of(result, last), us(5));
  EXPECT_EQ(result.makespan, us(7));
  EXPECT_EQ(result.cause[2], static_cast<SpanId>(slow));
}

TEST(Engine, ASerialResourceRunsOneTaskAtATimeAndAPoolAsManyAsItHasPlaces) {
  for (const int places : {1, 2, 3, 6}) {
    Platform platform;
    const ResourceId threads = platform.add_pool("loaders", places);
    TaskGraphBuilder builder;
    for (int i = 0; i < 6; ++i) builder.add(fixed_task(us(10), threads));
    EXPECT_EQ(schedule(std::move(builder).build(), platform).makespan, us(60.0 / places));
  }
}

TEST(Engine, HigherPriorityGoesFirstThenTheEarlierReadyThenTheEarlierAdded) {
  Platform platform;
  const ResourceId stream = platform.add_serial("stream");
  TaskGraphBuilder builder;
  builder.add(fixed_task(us(10), stream));
  const TaskId delay = builder.add(fixed_task(us(1)));
  const TaskId late = builder.add(fixed_task(us(10), stream), {delay});
  const TaskId first = builder.add(fixed_task(us(10), stream));
  const TaskId second = builder.add(fixed_task(us(10), stream));
  Task urgent = fixed_task(us(10), stream);
  urgent.priority = 1;
  const TaskId preferred = builder.add(urgent, {delay});
  const Schedule result = schedule(std::move(builder).build(), platform);
  EXPECT_EQ(start_of(result, preferred), us(10));
  EXPECT_EQ(start_of(result, first), us(20));
  EXPECT_EQ(start_of(result, second), us(30));
  EXPECT_EQ(start_of(result, late), us(40));
}

// Both candidates become ready at the instant at which the stream falls free; the one of higher
// priority gets it although it is further down a chain of joins that end at that instant.
TEST(Engine, AllThatEndsAtAnInstantEndsBeforeAnythingStarts) {
  Platform platform;
  const ResourceId stream = platform.add_serial("stream");
  TaskGraphBuilder builder;
  const TaskId a = builder.add(fixed_task(us(10), stream));
  const TaskId b = builder.add(fixed_task(us(10)));
  const TaskId plain = builder.add(fixed_task(us(5), stream), {a});
  Task urgent = fixed_task(us(5), stream);
  urgent.priority = 3;
  const TaskId preferred = builder.add(urgent, {builder.join(std::array{b})});
  const Schedule result = schedule(std::move(builder).build(), platform);
  EXPECT_EQ(start_of(result, preferred), us(10));
  EXPECT_EQ(start_of(result, plain), us(15));
}

TEST(Engine, ATransferAloneTakesLatencyPlusBytesOverTheNarrowestLink) {
  Platform platform;
  const ResourceId wide = platform.add_link("wide", BytesPerSecond(10e9));
  const ResourceId narrow = platform.add_link("narrow", BytesPerSecond(1e9));
  const RouteId route = platform.add_route({"a-b", {{wide}, {narrow}}, Seconds(5e-6)});
  TaskGraphBuilder builder;
  builder.add(transfer_task(Bytes(1e6), route));
  const SimTime expected = SimTime::from(platform.uncontended_time(route, Bytes(1e6)));
  EXPECT_EQ(expected, us(1005));
  EXPECT_EQ(schedule(std::move(builder).build(), platform).makespan, expected);
}

// Two megabytes share 1 GB/s for two milliseconds, then the longer has the link alone for one more.
TEST(Engine, TransfersShareALinkWhileBothMove) {
  Platform platform;
  const ResourceId link = platform.add_link("link", BytesPerSecond(1e9));
  const RouteId route = platform.add_route({"a-b", {{link}}, Seconds(0)});
  TaskGraphBuilder builder;
  const TaskId brief = builder.add(transfer_task(Bytes(1e6), route));
  const TaskId large = builder.add(transfer_task(Bytes(2e6), route));
  const Schedule result = schedule(std::move(builder).build(), platform);
  EXPECT_EQ(end_of(result, brief), us(2000));
  EXPECT_EQ(end_of(result, large), us(3000));
}

// During its latency a message takes nothing of the link: the other one has it alone for 1 ms.
TEST(Engine, AMessageInItsLatencyTakesNoBandwidth) {
  Platform platform;
  const ResourceId link = platform.add_link("link", BytesPerSecond(1e9));
  const RouteId far = platform.add_route({"far", {{link}}, Seconds(1e-3)});
  const RouteId near = platform.add_route({"near", {{link}}, Seconds(0)});
  TaskGraphBuilder builder;
  const TaskId delayed = builder.add(transfer_task(Bytes(1e6), far));
  const TaskId prompt = builder.add(transfer_task(Bytes(1e6), near));
  const Schedule result = schedule(std::move(builder).build(), platform);
  EXPECT_EQ(end_of(result, prompt), us(1000));
  EXPECT_EQ(end_of(result, delayed), us(2000));
}

// Half of the memory bandwidth is taken for 2 ms, so a kernel that needs all of it runs at half
// speed and has done 1 ms of its 3 ms when the copy ends.
TEST(Engine, AStretchableTaskSlowsWhileItsResourceIsContended) {
  Platform platform;
  const ResourceId memory = platform.add_link("memory", BytesPerSecond(2e9));
  const RouteId kernel = platform.add_route({"kernel", {{memory, 2e9}}, Seconds(0)});
  const RouteId copy =
      platform.add_route({"copy", {{memory}}, Seconds(0), BytesPerSecond(1e9), 1e12});
  TaskGraphBuilder builder;
  const TaskId compute = builder.add(stretchable_task(us(3000), kernel));
  const TaskId transfer = builder.add(transfer_task(Bytes(2e6), copy));
  const Schedule result = schedule(std::move(builder).build(), platform);
  EXPECT_EQ(end_of(result, transfer), us(2000));
  EXPECT_EQ(end_of(result, compute), us(4000));
}

// Two prefetch slots: the third batch is decoded only after the first was used.
TEST(Engine, ASemaphoreBoundsWhatIsInFlight) {
  Platform platform;
  const SemaphoreId slots = platform.add_semaphore("prefetch slots", 2);
  const ResourceId gpu = platform.add_serial("gpu");
  TaskGraphBuilder builder;
  std::vector<TaskId> decodes;
  for (int i = 0; i < 4; ++i) {
    decodes.push_back(builder.add(fixed_task(us(1))));
    builder.acquire(decodes.back(), slots);
    const TaskId use = builder.add(fixed_task(us(10), gpu), {decodes.back()});
    builder.release(use, slots);
  }
  const Schedule result = schedule(std::move(builder).build(), platform);
  EXPECT_EQ(start_of(result, decodes[1]), us(0));
  EXPECT_EQ(start_of(result, decodes[2]), us(11));
  EXPECT_EQ(start_of(result, decodes[3]), us(21));
}

TEST(Engine, SaysWhichTaskWaitsForeverForASemaphore) {
  Platform platform;
  const SemaphoreId slots = platform.add_semaphore("slots", 1);
  TaskGraphBuilder builder;
  for (int i = 0; i < 2; ++i) builder.acquire(builder.add(fixed_task(us(1))), slots);
  const TaskGraph graph = std::move(builder).build();
  try {
    schedule(graph, platform);
    FAIL() << "a stalled simulation is an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("task 1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("slots"), std::string::npos) << error.what();
  }
}

TEST(Engine, PutsEachTaskOnTheTrackOfItsResource) {
  Platform platform;
  const ResourceId stream = platform.add_serial("gpu0/compute");
  const ResourceId link = platform.add_link("link", BytesPerSecond(1e9));
  const RouteId route = platform.add_route({"a-b", {{link}}, Seconds(0)});
  TaskGraphBuilder builder;
  builder.add(fixed_task(us(1), stream, {builder.name("conv1"), 0, 4, 0, TaskKind::kForward}));
  builder.add(transfer_task(Bytes(1e3), route));
  builder.add(fixed_task(us(1)));
  const Timeline timeline = simulate(std::move(builder).build(), platform);
  EXPECT_EQ(timeline.track_name(timeline.at(0).track), "gpu0/compute");
  EXPECT_EQ(timeline.track_name(timeline.at(1).track), "link");
  EXPECT_EQ(timeline.track_name(timeline.at(2).track), "(no resource)");
  EXPECT_EQ(timeline.name(timeline.at(0).label.name), "conv1");
  EXPECT_EQ(timeline.at(0).label.layer, 4);
}

// Records the reasons that the engine reports.
class WaitRecorder : public Observer {
 public:
  void on_start(TaskId, SimTime, const Wait& wait) override { waits.push_back(wait); }
  std::vector<Wait> waits;
};

TEST(Observer, LearnsWhetherADependencyAResourceOrASemaphoreDelayedATask) {
  Platform platform;
  const ResourceId stream = platform.add_serial("stream");
  const SemaphoreId slot = platform.add_semaphore("slot", 1);
  TaskGraphBuilder builder;
  const TaskId holder = builder.add(fixed_task(us(1)));
  builder.acquire(holder, slot);
  builder.release(holder, slot);
  const TaskId token_waiter = builder.add(fixed_task(us(1)));
  builder.acquire(token_waiter, slot);
  const TaskId runner = builder.add(fixed_task(us(5), stream), {holder});
  const TaskId queued = builder.add(fixed_task(us(5), stream), {token_waiter});
  WaitRecorder recorder;
  Observer* const observers[] = {&recorder};
  schedule(std::move(builder).build(), platform, observers);
  ASSERT_EQ(recorder.waits.size(), 4u);
  EXPECT_EQ(recorder.waits[0].reason, WaitReason::kNothing);
  // At 1 us the runner's dependency and the semaphore's token come free.
  std::map<WaitReason, Wait> by_reason;
  for (const Wait& wait : recorder.waits) by_reason[wait.reason] = wait;
  EXPECT_EQ(by_reason[WaitReason::kDependency].blocker, holder);
  EXPECT_EQ(by_reason[WaitReason::kSemaphore].blocker, holder);
  EXPECT_EQ(by_reason[WaitReason::kSemaphore].semaphore, slot);
  EXPECT_EQ(by_reason[WaitReason::kResource].blocker, runner);
  EXPECT_EQ(by_reason[WaitReason::kResource].resource, stream);
  EXPECT_EQ(by_reason[WaitReason::kResource].ready, us(2));
  EXPECT_NE(queued, runner);
}

// Fifty days fit on the clock, twice fifty do not: said, instead of a wrong time.
TEST(Engine, RefusesMoreThanItsClockHolds) {
  TaskGraphBuilder builder;
  const SimTime long_time = SimTime::from(Seconds(50 * 86400.0));
  const TaskId first = builder.add(fixed_task(long_time));
  const TaskId second = builder.add(fixed_task(long_time), {first});
  builder.add(fixed_task(us(1)), {second});
  EXPECT_THROW(schedule(std::move(builder).build(), Platform()), UsageError);
}

}  // namespace
}  // namespace paceline
