// Tensor, pipeline, context and expert parallelism are another kind of job: refused by name.
#include "simulator/strategies/strategy.h"

namespace paceline {
namespace {

class Megatron : public Strategy {
 public:
  void check(const JobSpec&, const StrategyOptions&) const override {
    throw UsageError(
        "--strategy megatron (tensor, pipeline, context and expert parallelism) is not supported "
        "yet; data-parallel strategies are: paceline list strategies");
  }
  std::unique_ptr<Aggregation> start(JobBuilder&, const StrategyOptions&) const override {
    PACELINE_ASSERT(false, "megatron is refused before it starts");
    return nullptr;
  }
  Bytes bytes_sent(const JobSpec&, const StrategyOptions&) const override { return {}; }
};

}  // namespace

void register_megatron(StrategyRegistry& registry) {
  registry.add("megatron", "model parallelism; not supported yet",
               [] { return std::make_unique<const Megatron>(); });
}

}  // namespace paceline
