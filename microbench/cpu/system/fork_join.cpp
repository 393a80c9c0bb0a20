// The fixed cost of a parallel region: starting it on all threads and waiting for them.
#include <omp.h>

#include <atomic>

#include "microbench/benchmark.h"
#include "microbench/cpu/check.h"

namespace paceline {
namespace {

class ForkJoinKernel final : public PreparedKernel {
 public:
  explicit ForkJoinKernel(int threads) : threads_(threads) {}

  void run() override {
    std::atomic<int>& arrived = arrived_;
#pragma omp parallel
    arrived.fetch_add(1, std::memory_order_relaxed);
  }

  void check() override {
    arrived_ = 0;
    run();
    require_close("threads in the region", arrived_, threads_, 0, 0);
  }

 private:
  int threads_;
  std::atomic<int> arrived_ = 0;
};

class ForkJoin final : public Benchmark {
 public:
  std::vector<Axes> design(DesignSize) const override { return {Axes{}}; }

  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace&) const override {
    return std::make_unique<ForkJoinKernel>(
        static_cast<int>(integer_axis(axes, "threads", "openmp.fork_join")));
  }
};

}  // namespace

void register_fork_join(BenchmarkRegistry& registry) {
  registry.add("openmp.fork_join", "an empty parallel region", std::make_unique<ForkJoin>());
}

}  // namespace paceline
