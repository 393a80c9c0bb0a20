// ByteScheduler (Peng et al., SOSP 2019): tensors in pieces, those of the first layers first
// whenever a piece can be sent; each weight is updated by itself, and the next forward pass of a
// layer waits only for its own weights. Over servers that add, or all-reduces.
#include <cmath>

#include "simulator/strategies/parts/summation.h"

namespace paceline {
namespace {

class Run : public Aggregation {
 public:
  Run(JobBuilder& job, const StrategyOptions& options)
      : job_(job),
        servers_(options.is("aggregation", "parameter-server")
                     ? std::make_unique<ServerExchange>(job, options)
                     : nullptr),
        partition_(options.bytes("partition")) {
    if (partition_.si() <= 0) throw UsageError("--set partition: expected a positive size");
  }

  void gradient_ready(std::uint32_t gradient) override {
    const Bytes bytes = job_.gradients()[gradient].bytes;
    const auto priority = static_cast<std::int16_t>(30000 - static_cast<int>(gradient));
    const TaskId after[] = {job_.ready(0, gradient)};
    const TaskId summed =
        servers_ ? servers_->exchange(bytes, after, priority) : all_reduces(bytes, after, priority);
    job_.set_weights_ready(0, gradient,
                           job_.update(0, bytes, {&summed, 1}, job_.queue(0, "optimizer")));
  }
  void update() override {}

 private:
  TaskId all_reduces(Bytes bytes, std::span<const TaskId> after, std::int16_t priority) {
    const double pieces = std::ceil(bytes / partition_);
    const CollectiveGroup& group = job_.spec().group;
    if (group.ranks() < 2) return job_.join(after);
    const Bytes piece = bytes / pieces;
    const CollectiveCost cost = job_.message_cost(CollectiveOp::kAllReduce, piece, group);
    std::vector<TaskId> done;
    for (int i = 0; i < static_cast<int>(pieces); ++i) {
      done.push_back(job_.message(0, cost, piece,
                                  bus_factor(CollectiveOp::kAllReduce, group.ranks()) * piece,
                                  after, "communication", priority));
    }
    return job_.join(done);
  }

  JobBuilder& job_;
  std::unique_ptr<ServerExchange> servers_;
  Bytes partition_;
};

class ByteScheduler : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    std::vector<StrategyOption> options = {{.name = "aggregation",
                                            .kind = OptionKind::kChoice,
                                            .fallback = "parameter-server",
                                            .choices = {"parameter-server", "all-reduce"},
                                            .summary = "servers that add, or all-reduces",
                                            .example = "all-reduce"}};
    for (StrategyOption& option : server_options(true)) {
      if (option.name == "partition") {
        option.only_with.clear();
        option.only_values.clear();
      }
      options.push_back(std::move(option));
    }
    return options;
  }
  void check(const JobSpec& job, const StrategyOptions& options) const override {
    check_servers(job, options);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<Run>(job, options);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override {
    const Bytes all = job.profile.gradient_bytes();
    if (options.is("aggregation", "parameter-server")) return server_bytes_sent(job, all);
    return job.ranks() > 1 ? bus_factor(CollectiveOp::kAllReduce, job.ranks()) * all : Bytes();
  }
  std::vector<std::string> remarks(const JobSpec& job,
                                   const StrategyOptions& options) const override {
    return summation_remarks(job, options);
  }
};

}  // namespace

void register_bytescheduler(StrategyRegistry& registry) {
  registry.add("bytescheduler",
               "ByteScheduler: pieces by priority, layers wait for their own weights",
               [] { return std::make_unique<const ByteScheduler>(); });
}

}  // namespace paceline
