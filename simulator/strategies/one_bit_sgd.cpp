// CNTK's 1-bit SGD with error feedback (Seide et al., Interspeech 2014;
// SGDLib/AllReduceDistGradAggregator.h): after the whole backward pass each gradient is quantized
// on the device, one bit an element and two floats a column; stripes of it go to their owners, are
// added there, quantized again and sent to all. Quantization costs the same whatever the number of
// devices, so that the overhead hardly depends on it.
#include <cmath>

#include "simulator/strategies/parts/constants.h"
#include "simulator/strategies/strategy.h"

namespace paceline {
namespace {

constexpr double kBitsOfElement = 32;
constexpr Bytes kScalarsOfColumn{8};  // what a bit of either value stands for, two floats

// A bit an element, and the scalars of each column of the matrix.
Bytes quantized(const GradientTensor& gradient) {
  const std::int64_t rows = gradient.rows > 0 ? gradient.rows : gradient.elements;
  const double columns = static_cast<double>(gradient.elements) / static_cast<double>(rows);
  return gradient.bytes / kBitsOfElement + columns * kScalarsOfColumn;
}

Bytes quantized(const std::vector<GradientTensor>& gradients) {
  Bytes total;
  for (const GradientTensor& gradient : gradients) total += quantized(gradient);
  return total;
}

class Run : public Aggregation {
 public:
  explicit Run(JobBuilder& job)
      : job_(job), traffic_(strategy_constant("one-bit-sgd.traffic_per_element")) {}

  void end_backward() override {
    summed_ = job_.latest(0);
    if (job_.spec().ranks() < 2) return;
    // The device quantizes all matrices before it restores the first: one stream for both.
    std::vector<TaskId> sent;
    for (const GradientTensor& gradient : job_.gradients()) {
      sent.push_back(exchange(gradient, quantize(gradient, summed_)));
    }
    std::vector<TaskId> done;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      done.push_back(quantize(job_.gradients()[i], sent[i]));
    }
    summed_ = job_.join(done);
  }
  void update() override { job_.update(0, job_.spec().profile.gradient_bytes(), {&summed_, 1}); }

 private:
  // Half of the traffic quantizes before the exchange, half restores after it.
  TaskId quantize(const GradientTensor& gradient, TaskId after) {
    const Bytes traffic = static_cast<double>(gradient.elements) * Bytes(traffic_) / 2;
    return job_.kernel(0, traffic / 2, traffic / 2, {&after, 1}, job_.queue(0, "quantization"));
  }
  TaskId exchange(const GradientTensor& gradient, TaskId task) {
    const Bytes bits = quantized(gradient);
    task = job_.copy(job_.fabric().to_host(0), bits, -1, {&task, 1}, job_.queue(0, "d2h"));
    task =
        job_.collective(0, CollectiveOp::kReduceScatter, bits, {&task, 1}, "communication", "mpi");
    task = job_.collective(0, CollectiveOp::kAllGather, bits, {&task, 1}, "communication", "mpi");
    return job_.copy(job_.fabric().from_host(0), bits, -1, {&task, 1}, job_.queue(0, "h2d"));
  }

  JobBuilder& job_;
  double traffic_;
  TaskId summed_ = kNoTask;
};

class OneBitSgd : public Strategy {
 public:
  std::unique_ptr<Aggregation> start(JobBuilder& job, const StrategyOptions&) const override {
    return std::make_unique<Run>(job);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions&) const override {
    if (job.ranks() < 2) return {};
    return 2 * bus_factor(CollectiveOp::kAllGather, job.ranks()) * quantized(job.profile.gradients);
  }
  // Two residuals and the bits.
  Bytes buffers(const JobSpec& job, const StrategyOptions&) const override {
    if (job.ranks() < 2) return {};
    return 2 * job.profile.gradient_bytes() + quantized(job.profile.gradients);
  }
};

}  // namespace

void register_one_bit_sgd(StrategyRegistry& registry) {
  registry.add("one-bit-sgd", "CNTK 1-bit SGD: quantized gradients with error feedback over MPI",
               [] { return std::make_unique<const OneBitSgd>(); });
}

}  // namespace paceline
