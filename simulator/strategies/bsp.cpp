// Bulk synchronous: all gradients in one message after the whole backward pass; nothing overlaps.
// Servers get every tensor by itself: BytePS cuts tensors that are too large and merges none
// (byteps/common/operations.cc, PartitionTensor).
#include "simulator/strategies/parts/summed_messages.h"

namespace paceline {
namespace {

class Run : public UpdateAfterAll {
 public:
  Run(JobBuilder& job, const StrategyOptions& options)
      : UpdateAfterAll(job),
        summation_(job, options),
        by_tensor_(options.is("aggregation", "parameter-server")) {}

  void end_backward() override {
    const TaskId after[] = {job().latest(0)};
    std::vector<TaskId> sums;
    if (by_tensor_) {
      for (const ComputeSegment& segment : job().spec().profile.backward) {
        for (const std::uint32_t gradient : segment.gradients) {
          sums.push_back(summation_.sum(job().gradients()[gradient].bytes, after));
        }
      }
    } else {
      sums.push_back(summation_.sum(job().spec().profile.gradient_bytes(), after));
    }
    const TaskId done = job().join(sums);
    arrives(done);
    job().block(0, done);
  }

 private:
  Summation summation_;
  bool by_tensor_;
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
