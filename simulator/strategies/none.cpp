// No aggregation: every device trains by itself. What scaling is compared with.
#include "simulator/strategies/parts/update_after_all.h"
#include "simulator/strategies/strategy.h"

namespace paceline {
namespace {

class None : public Strategy {
 public:
  bool synchronizes_gradients() const override { return false; }
  std::unique_ptr<Aggregation> start(JobBuilder& job, const StrategyOptions&) const override {
    return std::make_unique<UpdateAfterAll>(job);
  }
  Bytes bytes_sent(const JobSpec&, const StrategyOptions&) const override { return {}; }
};

}  // namespace

void register_none(StrategyRegistry& registry) {
  registry.add("none", "no aggregation: every device trains by itself",
               [] { return std::make_unique<const None>(); });
}

}  // namespace paceline
