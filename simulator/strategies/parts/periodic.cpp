#include "simulator/strategies/parts/periodic.h"

namespace paceline {
namespace {

constexpr int kLongestPeriod = 1000;

class PeriodicRun : public Aggregation {
 public:
  PeriodicRun(JobBuilder& job, int period, bool momentum)
      : job_(job), period_(period), momentum_(momentum) {}

  void update() override {
    const Bytes model = job_.spec().profile.gradient_bytes();
    TaskId task = job_.update(0, model, {});
    if ((job_.iteration() + 1) % period_ != 0 || job_.spec().ranks() < 2) return;
    task = job_.collective(0, CollectiveOp::kAllReduce, model, {&task, 1});
    // Reads the average, the last one and the momentum; writes weights and momentum.
    if (momentum_)
      task = job_.kernel(0, 3 * model, 2 * model, {&task, 1}, job_.queue(0, "average"));
    job_.block(0, task);
  }

 private:
  JobBuilder& job_;
  int period_;
  bool momentum_;
};

}  // namespace

std::vector<StrategyOption> PeriodicAveraging::options() const {
  return {{.name = period_,
           .kind = OptionKind::kCount,
           .fallback = fallback_,
           .choices = {},
           .summary = "iterations between two averages of the weights, at most 1000",
           .example = fallback_ == "2" ? "4" : "2"}};
}

int PeriodicAveraging::cycle(const JobSpec&, const StrategyOptions& options) const {
  const int period = options.count(period_);
  if (period <= kLongestPeriod) return period;
  throw UsageError("--set " + period_ + ": at most " + std::to_string(kLongestPeriod) + ", found " +
                   std::to_string(period));
}

std::unique_ptr<Aggregation> PeriodicAveraging::start(JobBuilder& job,
                                                      const StrategyOptions& options) const {
  return std::make_unique<PeriodicRun>(job, options.count(period_), momentum_);
}

Bytes PeriodicAveraging::bytes_sent(const JobSpec& job, const StrategyOptions& options) const {
  if (job.ranks() < 2) return {};
  return bus_factor(CollectiveOp::kAllReduce, job.ranks()) / options.count(period_) *
         job.profile.gradient_bytes();
}

Bytes PeriodicAveraging::buffers(const JobSpec& job, const StrategyOptions&) const {
  if (job.ranks() < 2) return {};
  return (momentum_ ? 2.0 : 1.0) * job.profile.gradient_bytes();
}

std::vector<std::string> PeriodicAveraging::remarks(const JobSpec& job,
                                                    const StrategyOptions& options) const {
  if (job.ranks() < 2) return {};
  return {"weights differ between devices for " + options.text(period_) +
          " iterations; what that costs in accuracy is not predicted"};
}

}  // namespace paceline
