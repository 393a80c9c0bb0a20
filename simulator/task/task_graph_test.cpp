#include "simulator/task/task_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "simulator/task/task_graph_builder.h"

namespace paceline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<TaskId> successors(const TaskGraph& graph, TaskId id) {
  return {graph.successors(id).begin(), graph.successors(id).end()};
}

TEST(TaskGraph, ListsTheSuccessorsOfEachTaskInOrderOfInsertion) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add(fixed_task(SimTime()));
  const TaskId b = builder.add(fixed_task(SimTime()));
  const TaskId c = builder.add(fixed_task(SimTime()), {a});
  const TaskId d = builder.add(fixed_task(SimTime()), {b, a, c});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(successors(graph, a), ElementsAre(c, d));
  EXPECT_THAT(successors(graph, b), ElementsAre(d));
  EXPECT_THAT(successors(graph, c), ElementsAre(d));
  EXPECT_THAT(successors(graph, d), IsEmpty());
  EXPECT_EQ(graph.in_degree(d), 3u);
  EXPECT_EQ(graph.edges(), 4u);
}

TEST(TaskGraph, GivesBackTheTasksThatWereAdded) {
  Task transfer = transfer_task(Bytes(2.5e6), RouteId{3}, ResourceId{1});
  transfer.priority = -7;
  transfer.label = {NameId{}, 5, 2, 1, TaskKind::kCommunicate};
  TaskGraphBuilder builder;
  const TaskId first = builder.add(transfer);
  const TaskId second = builder.add(stretchable_task(SimTime::from_picoseconds(9), RouteId{4}));
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(graph.task(first).bytes, Bytes(2.5e6));
  EXPECT_EQ(graph.task(first).route, RouteId{3});
  EXPECT_EQ(graph.task(first).resource, ResourceId{1});
  EXPECT_EQ(graph.task(first).priority, -7);
  EXPECT_EQ(graph.task(first).label, transfer.label);
  EXPECT_EQ(graph.task(second).duration, SimTime::from_picoseconds(9));
}

TEST(TaskGraphBuilder, RefusesDependenciesOnTasksNotYetAdded) {
  TaskGraphBuilder builder;
  EXPECT_THROW(builder.add(fixed_task(SimTime()), {TaskId{0}}), Error);
}

TEST(TaskGraphBuilder, RefusesAmountsThatDoNotFitTheWork) {
  TaskGraphBuilder builder;
  EXPECT_THROW(builder.add(transfer_task(Bytes(1), kNoRoute)), Error);
  EXPECT_THROW(builder.add(transfer_task(Bytes(-1), RouteId{0})), Error);
  EXPECT_THROW(
      builder.add(transfer_task(Bytes(std::numeric_limits<double>::infinity()), RouteId{0})),
      Error);
  EXPECT_THROW(builder.add(fixed_task(SimTime::from_picoseconds(-1))), Error);
  Task both = fixed_task(SimTime::from_picoseconds(1));
  both.bytes = Bytes(1);
  EXPECT_THROW(builder.add(both), Error);
}

TEST(TaskGraphBuilder, ChainsTasksAddedInOrderOnTheSameResource) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_in_order(fixed_task(SimTime(), ResourceId{0}));
  const TaskId other = builder.add_in_order(fixed_task(SimTime(), ResourceId{1}));
  const TaskId b = builder.add_in_order(fixed_task(SimTime(), ResourceId{0}), {other});
  const TaskId c = builder.add_in_order(fixed_task(SimTime(), ResourceId{0}), {b});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(successors(graph, a), ElementsAre(b));
  EXPECT_THAT(successors(graph, b), ElementsAre(c));
  EXPECT_EQ(graph.in_degree(c), 1u) << "an explicit dependency on the same task is not doubled";
}

TEST(TaskGraphBuilder, SumsTokensOfTheSameSemaphore) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add(fixed_task(SimTime()));
  const TaskId b = builder.add(fixed_task(SimTime()));
  builder.acquire(b, SemaphoreId{1}, 2);
  builder.acquire(b, SemaphoreId{0}, 1);
  builder.acquire(b, SemaphoreId{1}, 3);
  const TaskGraph graph = std::move(builder).build();
  ASSERT_EQ(graph.acquires(b).size(), 2u);
  EXPECT_EQ(graph.acquires(b)[0].semaphore, SemaphoreId{0});
  EXPECT_EQ(graph.acquires(b)[1].tokens, 5);
  EXPECT_TRUE(graph.acquires(a).empty());
}

}  // namespace
}  // namespace paceline
