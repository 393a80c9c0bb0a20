// MXNet kvstore=device with MXNET_KVSTORE_USETREE=1 (src/kvstore/comm_tree.h): gradients of a key
// go up a binary tree of the devices, each parent adds, and the updated weights go down the same
// tree. Keys rotate over trees with different roots.
#include <algorithm>
#include <bit>

#include "simulator/strategies/parts/kvstore_run.h"
#include "simulator/strategies/parts/strategy_memory.h"

namespace paceline {
namespace {

int root_of(std::size_t gradient, int ranks) { return static_cast<int>(gradient) % ranks; }

class Run : public KvStoreRun {
 public:
  using KvStoreRun::KvStoreRun;

  void push_and_pull(std::uint32_t gradient, Bytes bytes) override {
    const int ranks = job_.ranks();
    const int root = root_of(gradient, ranks);
    const auto rank_of = [&](int place) { return (place + root) % ranks; };
    std::vector<TaskId> sum;
    for (int place = 0; place < ranks; ++place) sum.push_back(job_.ready(rank_of(place), gradient));
    for (int step = 1; step < ranks; step *= 2) {
      for (int place = 0; place + step < ranks; place += 2 * step) {
        TaskId& parent = sum[static_cast<std::size_t>(place)];
        const TaskId after[] = {sum[static_cast<std::size_t>(place + step)]};
        const int from = rank_of(place + step);
        const int to = rank_of(place);
        const TaskId both[] = {parent, job_.copy(between(job_, from, to), bytes, from, after)};
        parent = job_.kernel(to, 2 * bytes, bytes, both, job_.queue(to, "adds"));
      }
    }
    std::vector<TaskId> have(sum.size(), kNoTask);
    have[0] = job_.update(root, bytes, {sum.data(), 1}, job_.queue(root, "adds"));
    const int top = static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks))) / 2;
    for (int step = top; step > 0; step /= 2) {
      for (int place = 0; place + step < ranks; place += 2 * step) {
        const int from = rank_of(place);
        have[static_cast<std::size_t>(place + step)] =
            job_.copy(between(job_, from, rank_of(place + step)), bytes, from,
                      {&have[static_cast<std::size_t>(place)], 1});
      }
    }
    for (int place = 0; place < ranks; ++place) {
      job_.set_weights_ready(rank_of(place), gradient, have[static_cast<std::size_t>(place)]);
    }
  }
};

class KvStoreTree : public Strategy {
 public:
  void check(const JobSpec& job, const StrategyOptions&) const override {
    check_one_machine(job, "kvstore-tree");
  }
  int simulated_ranks(const JobSpec& job, const StrategyOptions&) const override {
    return local_ranks(job);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job, const StrategyOptions&) const override {
    return std::make_unique<Run>(job);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions&) const override {
    const int ranks = job.ranks();
    std::vector<Bytes> sent(static_cast<std::size_t>(ranks));
    for (std::size_t gradient = 0; ranks > 1 && gradient < job.profile.gradients.size();
         ++gradient) {
      for (int step = 1; step < ranks; step *= 2) {
        for (int place = 0; place + step < ranks; place += 2 * step) {
          const auto at = [&](int where) {
            return (static_cast<std::size_t>(where) + gradient) % static_cast<std::size_t>(ranks);
          };
          sent[at(place)] += job.profile.gradients[gradient].bytes;         // weights, down
          sent[at(place + step)] += job.profile.gradients[gradient].bytes;  // gradients, up
        }
      }
    }
    return *std::ranges::max_element(sent);
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions&) const override {
    return job.ranks() > 1 ? job.profile.gradient_bytes() : Bytes();
  }
  // The root of a key updates it.
  Shares shares(const JobSpec& job, const StrategyOptions&) const override {
    std::vector<int> roots(job.profile.gradients.size());
    for (std::size_t i = 0; i < roots.size(); ++i) roots[i] = root_of(i, job.ranks());
    return {.optimizer_state = largest_owned(job, roots) / job.profile.gradient_bytes()};
  }
};

}  // namespace

void register_kvstore_tree(StrategyRegistry& registry) {
  registry.add("kvstore-tree", "MXNet kvstore=device with trees: keys go up and down a binary tree",
               [] { return std::make_unique<const KvStoreTree>(); });
}

}  // namespace paceline
