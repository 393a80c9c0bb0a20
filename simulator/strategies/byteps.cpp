// BytePS (github.com/bytedance/byteps): tensors in pieces go through NCCL inside the machine and
// processor-only servers between machines, each when its gradient is final; the optimizer waits for
// all of them.
#include "simulator/strategies/parts/server_exchange.h"
#include "simulator/strategies/parts/update_after_all.h"

namespace paceline {
namespace {

class Run : public UpdateAfterAll {
 public:
  Run(JobBuilder& job, const StrategyOptions& options)
      : UpdateAfterAll(job), exchange_(job, options) {}
  void gradient_ready(std::uint32_t gradient) override {
    const TaskId after[] = {job().ready(0, gradient)};
    arrives(exchange_.exchange(job().gradients()[gradient].bytes, after));
  }

 private:
  ServerExchange exchange_;
};

class BytePs : public Strategy {
 public:
  std::vector<StrategyOption> options() const override { return server_options(false); }
  void check(const JobSpec& job, const StrategyOptions& options) const override {
    check_servers(job, options);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<Run>(job, options);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions&) const override {
    return server_bytes_sent(job, job.profile.gradient_bytes());
  }
  std::vector<std::string> remarks(const JobSpec& job,
                                   const StrategyOptions& options) const override {
    return server_remarks(job, options);
  }
};

}  // namespace

void register_byteps(StrategyRegistry& registry) {
  registry.add("byteps", "BytePS: pieces through NCCL inside machines and adding servers between",
               [] { return std::make_unique<const BytePs>(); });
}

}  // namespace paceline
