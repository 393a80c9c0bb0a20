// Where all ranks do the same, one of them is simulated (Strategy::simulated_ranks). Here all are:
// each with streams and segments of its own, and each collective as the messages of a ring between
// them, so that a rank goes on only when its neighbours have sent. Both must take the same time.
//
// Strategies whose copies share links simulate every rank of a machine in the first place and are
// left out, as are jobs whose flows stand for those of other machines (by their weights).
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "simulator/engine/engine.h"
#include "simulator/strategies/testing/test_job.h"

namespace paceline {
namespace {

constexpr int kIterations = 3;

std::optional<JobGraph> reduced_graph(const TestJob& job, const Strategy& strategy,
                                      const std::string& name) {
  const StrategyOptions options(name, all_options(strategy), {});
  const CommunicationModels models;
  Communicator communicator(models, job.spec.cluster, "volta", 0);
  try {
    if (strategy.simulated_ranks(job.spec, options) != 1) return std::nullopt;
    JobGraph out = job_graph(job.spec, strategy, options, communicator, kIterations);
    for (std::size_t i = 0; i < out.graph.size(); ++i) {
      if (out.graph.record(static_cast<TaskId>(i)).route != kNoRoute) return std::nullopt;
    }
    return out;
  } catch (const UsageError&) {
    return std::nullopt;  // the strategy cannot run such a job
  }
}

// The tasks of one rank, once for each of `ranks`.
class AllRanks {
 public:
  AllRanks(const JobGraph& reduced, int ranks)
      : reduced_(reduced.graph), ranks_(static_cast<std::size_t>(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (const Platform::Resource& resource : reduced.platform.resources()) {
        const std::string name = std::to_string(rank) + "/" + resource.name;
        if (resource.kind == Platform::Kind::kQueued) {
          platform_.add_pool(name, resource.places);
        } else {
          platform_.add_shared(name, resource.capacity, resource.unit);
        }
      }
    }
    resources_ = reduced.platform.resources().size();
  }

  SimTime makespan() {
    const std::size_t tasks = reduced_.size();
    std::vector<std::vector<TaskId>> after(tasks);  // in the reduced graph
    for (std::size_t i = 0; i < tasks; ++i) {
      for (const TaskId next : reduced_.successors(static_cast<TaskId>(i))) {
        after[static_cast<std::size_t>(next)].push_back(static_cast<TaskId>(i));
      }
    }
    copies_.resize(tasks);
    for (std::size_t i = 0; i < tasks; ++i) {
      const auto id = static_cast<TaskId>(i);
      const bool message = reduced_.label(id).kind == SpanKind::kCommunicate &&
                           reduced_.record(id).amount > 0 && ranks_ > 1;
      for (std::size_t rank = 0; rank < ranks_ && !message; ++rank) {
        copies_[i].push_back(builder_.add(task(id, rank), of_rank(after[i], rank)));
      }
      if (message) collective(id, after[i]);
    }
    return schedule(std::move(builder_).build(), platform_).makespan;
  }

 private:
  Task task(TaskId id, std::size_t rank) const {
    Task out = reduced_.task(id);
    out.label = {};
    if (out.resource != kNoResource) {
      out.resource =
          static_cast<ResourceId>(static_cast<std::size_t>(out.resource) + rank * resources_);
    }
    return out;
  }

  std::vector<TaskId> of_rank(const std::vector<TaskId>& reduced, std::size_t rank) const {
    std::vector<TaskId> out;
    for (const TaskId id : reduced) out.push_back(copies_[static_cast<std::size_t>(id)][rank]);
    return out;
  }

  // 2(n - 1) messages of each rank, each after the neighbour's before it. Messages with priorities
  // overtake each other, which whole collectives do not: those start together instead.
  void collective(TaskId id, const std::vector<TaskId>& after) {
    const Task whole = reduced_.task(id);
    std::vector<TaskId>& done = copies_[static_cast<std::size_t>(id)];
    const std::size_t steps = whole.priority == 0 ? 2 * (ranks_ - 1) : 1;
    for (std::size_t step = 0; step < steps; ++step) {
      std::vector<TaskId> before = done;
      done.clear();
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        std::vector<TaskId> waits;
        if (step == 0) {
          waits = of_rank(after, rank);
          if (steps == 1) waits = everyone(after);
        } else {
          waits = {before[rank], before[(rank + ranks_ - 1) % ranks_]};
        }
        Task message = task(id, rank);
        message.duration = SimTime::from(whole.duration.seconds() / static_cast<double>(steps));
        done.push_back(builder_.add(message, waits));
      }
    }
  }

  std::vector<TaskId> everyone(const std::vector<TaskId>& after) {
    std::vector<TaskId> all;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const std::vector<TaskId> own = of_rank(after, rank);
      all.insert(all.end(), own.begin(), own.end());
    }
    return {builder_.join(all)};
  }

  const TaskGraph& reduced_;
  std::size_t ranks_;
  std::size_t resources_ = 0;
  Platform platform_;
  TaskGraphBuilder builder_;
  std::vector<std::vector<TaskId>> copies_;  // task of the reduced graph, rank
};

TEST(AllRanks, TakeTheTimeOfTheOneThatStandsForThem) {
  int strategies = 0;
  for (const std::string& name : strategy_registry().names()) {
    const auto strategy = strategy_registry().make(name);
    int jobs = 0;
    for (const int ranks : {2, 3, 4, 8, 16, 32, 64}) {
      const TestJob job = test_job(ranks, 1);
      const std::optional<JobGraph> reduced = reduced_graph(job, *strategy, name);
      if (!reduced) continue;
      ++jobs;
      const double one = schedule(reduced->graph, reduced->platform).makespan.seconds().si();
      const double all = AllRanks(*reduced, ranks).makespan().seconds().si();
      EXPECT_NEAR(all / one, 1, 0.01) << name << " on " << ranks;
    }
    strategies += jobs > 0 ? 1 : 0;
  }
  EXPECT_GE(strategies, 10) << "strategies whose ranks do the same";
}

}  // namespace
}  // namespace paceline
