#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/engine/engine.h"
#include "simulator/engine/load_recorder.h"
#include "simulator/engine/wait_totals.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {
namespace {

SimTime us(double value) { return SimTime::from(Seconds(value * 1e-6)); }

// One megabyte alone at 1 GB/s, but the second half of it beside another megabyte: 500 us at the
// full rate, 1000 us shared, then 500 us for the other's rest.
TEST(LoadRecorder, RecordsTheLoadOfALinkAndWhatCrossedIt) {
  Platform platform;
  const ResourceId link = platform.add_link("link", BytesPerSecond(1e9));
  const RouteId route = platform.add_route({"a-b", {{link}}, Seconds(0)});
  TaskGraphBuilder builder;
  builder.add(transfer_task(Bytes(1e6), route));
  const TaskId delay = builder.add(fixed_task(us(500)));
  builder.add(transfer_task(Bytes(1e6), route), {delay});
  LoadRecorder recorder;
  Observer* const observers[] = {&recorder};
  const Schedule result = schedule(std::move(builder).build(), platform, observers);
  EXPECT_EQ(result.makespan, us(2000));
  EXPECT_NEAR(recorder.total(link), 2e6, 1e-3);
  ASSERT_EQ(recorder.counters().size(), 1u);
  const Counter counter = recorder.counters()[0];
  EXPECT_EQ(counter.unit, "B/s");
  EXPECT_THAT(counter.points,
              testing::ElementsAre(Counter::Point{us(0), 1e9}, Counter::Point{us(2000), 0}))
      << "the link is full from the first byte to the last";
}

TEST(WaitTotals, SumsTimeInFrontOfEachQueue) {
  Platform platform;
  const ResourceId stream = platform.add_serial("stream");
  const ResourceId other = platform.add_serial("other");
  TaskGraphBuilder builder;
  for (int i = 0; i < 3; ++i) builder.add(fixed_task(us(10), stream));
  builder.add(fixed_task(us(10), other));
  WaitTotals waits;
  Observer* const observers[] = {&waits};
  schedule(std::move(builder).build(), platform, observers);
  EXPECT_EQ(waits.of(stream).waited, us(30)) << "the second waits 10 us, the third 20 us";
  EXPECT_EQ(waits.of(stream).tasks, 2u);
  EXPECT_EQ(waits.of(other).tasks, 0u);
}

}  // namespace
}  // namespace paceline
