// Wait-free backpropagation: every tensor is a message of its own, sent when its gradient is final,
// while the backward pass goes on (Zhang et al., Poseidon, USENIX ATC 2017; Shi et al., MG-WFBP).
#include "simulator/strategies/parts/summed_messages.h"

namespace paceline {
namespace {

class Run : public UpdateAfterAll {
 public:
  Run(JobBuilder& job, const StrategyOptions& options)
      : UpdateAfterAll(job), summation_(job, options) {}

  void gradient_ready(std::uint32_t gradient) override {
    const TaskId after[] = {job().ready(0, gradient)};
    arrives(summation_.sum(job().gradients()[gradient].bytes, after, true));
  }

 private:
  Summation summation_;
};

class Wfbp : public SummedMessages {
 public:
  std::vector<StrategyOption> options() const override {
    std::vector<StrategyOption> options = SummedMessages::options();
    options.push_back(negotiation_option());
    return options;
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<Run>(job, options);
  }
};

}  // namespace

void register_wfbp(StrategyRegistry& registry) {
  registry.add("wfbp", "wait-free backpropagation: a message per tensor, while backward goes on",
               [] { return std::make_unique<const Wfbp>(); });
}

}  // namespace paceline
