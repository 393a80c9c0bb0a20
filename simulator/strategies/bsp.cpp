// Bulk synchronous: all gradients in one message after the whole backward pass; nothing overlaps.
#include "simulator/strategies/parts/summed_messages.h"

namespace paceline {
namespace {

class Run : public UpdateAfterAll {
 public:
  Run(JobBuilder& job, const StrategyOptions& options)
      : UpdateAfterAll(job), summation_(job, options) {}

  void end_backward() override {
    const TaskId after[] = {job().latest(0)};
    const TaskId done = summation_.sum(job().spec().profile.gradient_bytes(), after);
    arrives(done);
    job().block(0, done);
  }

 private:
  Summation summation_;
};

class Bsp : public SummedMessages {
 public:
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<Run>(job, options);
  }
};

}  // namespace

void register_bsp(StrategyRegistry& registry) {
  registry.add("bsp", "one message after the backward pass; nothing overlaps",
               [] { return std::make_unique<const Bsp>(); });
}

}  // namespace paceline
