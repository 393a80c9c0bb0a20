// MXNet kvstore=device (CommDevice, src/kvstore/comm.h): each key has an owner among the devices,
// the largest keys first to the device with the least; the others copy their gradients there, the
// owner adds and updates, and copies the weights back. The owner alone has the optimizer's state of
// a key.
#include <algorithm>

#include "simulator/strategies/parts/kvstore_run.h"
#include "simulator/strategies/parts/placement.h"
#include "simulator/strategies/parts/strategy_memory.h"

namespace paceline {
namespace {

std::vector<int> owners_of(const JobSpec& job) {
  return balanced_owners(job.profile.gradients, local_ranks(job), PlacementOrder::kLargestFirst);
}

class Run : public KvStoreRun {
 public:
  explicit Run(JobBuilder& job) : KvStoreRun(job), owners_(owners_of(job.spec())) {}
  void push_and_pull(std::uint32_t gradient, Bytes bytes) override {
    const int owner = owners_[gradient];
    const TaskId sum = sum_on(owner, gradient, bytes);
    spread_from(owner, gradient, bytes,
                job_.update(owner, bytes, {&sum, 1}, job_.queue(owner, "adds")));
  }

 private:
  std::vector<int> owners_;
};

class KvStoreDevice : public Strategy {
 public:
  void check(const JobSpec& job, const StrategyOptions&) const override {
    check_one_machine(job, "kvstore-device");
  }
  int simulated_ranks(const JobSpec& job, const StrategyOptions&) const override {
    return local_ranks(job);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job, const StrategyOptions&) const override {
    return std::make_unique<Run>(job);
  }
  // A device sends the keys it does not own once and those it owns to every other device.
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions&) const override {
    if (job.ranks() < 2) return {};
    std::vector<Bytes> sent(static_cast<std::size_t>(job.ranks()), job.profile.gradient_bytes());
    const std::vector<int> owners = owners_of(job);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      sent[static_cast<std::size_t>(owners[i])] +=
          static_cast<double>(job.ranks() - 2) * job.profile.gradients[i].bytes;
    }
    return *std::ranges::max_element(sent);
  }
  // Of each key its owner has the sum, a copy from every other device, and the stored weights that
  // are updated and pulled (KVStoreLocal::local_).
  Bytes buffers(const JobSpec& job, const StrategyOptions&) const override {
    if (job.ranks() < 2) return {};
    return static_cast<double>(job.ranks() + 1) * largest_owned(job, owners_of(job));
  }
  Shares shares(const JobSpec& job, const StrategyOptions&) const override {
    const Bytes owned = largest_owned(job, owners_of(job));
    return {.optimizer_state = owned / job.profile.gradient_bytes()};
  }
};

}  // namespace

void register_kvstore_device(StrategyRegistry& registry) {
  registry.add("kvstore-device", "MXNet kvstore=device: keys are added and updated on their owners",
               [] { return std::make_unique<const KvStoreDevice>(); });
}

}  // namespace paceline
