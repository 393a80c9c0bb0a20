// The cost of fresh memory: mapping it, touching every page for the first time, and giving it back.
// A training loop that frees and allocates its gradients in every iteration can pay this each time.
#include <sys/mman.h>

#include "core/error.h"
#include "microbench/benchmark.h"
#include "microbench/cpu/check.h"
#include "microbench/cpu/design.h"

namespace paceline {
namespace {

constexpr std::size_t kSmallPage = 4096;

class FirstTouchKernel final : public PreparedKernel {
 public:
  FirstTouchKernel(std::size_t bytes, bool huge) : bytes_(bytes), huge_(huge) {}

  void run() override {
    void* memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw MeasurementError("mmap failed");
    madvise(memory, bytes_, huge_ ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    volatile unsigned char* values = static_cast<unsigned char*>(memory);
    touched_ = 0;
    for (std::size_t offset = 0; offset < bytes_; offset += kSmallPage) {
      values[offset] = 1;
      touched_ += values[offset];
    }
    munmap(memory, bytes_);
  }

  void check() override {
    run();
    require_close("pages touched", static_cast<double>(touched_),
                  static_cast<double>(bytes_ / kSmallPage), 0, 0);
  }

 private:
  std::size_t bytes_;
  bool huge_;
  std::size_t touched_ = 0;
};

class FirstTouch final : public Benchmark {
 public:
  std::vector<Axes> design(DesignSize) const override {
    std::vector<Axes> out;
    for (const char* pages : {"small", "huge"}) {
      for (const std::int64_t megabytes : {4, 32}) {
        Axes axes = axes_of({{"bytes", megabytes << 20}});
        axes["pages"] = pages;
        out.push_back(std::move(axes));
      }
    }
    return out;
  }
  bool threaded() const override { return false; }

  std::unique_ptr<PreparedKernel> prepare(const Axes& axes, Workspace&) const override {
    return std::make_unique<FirstTouchKernel>(
        static_cast<std::size_t>(integer_axis(axes, "bytes", "memory.first_touch")),
        text_axis(axes, "pages", "memory.first_touch") == "huge");
  }
};

}  // namespace

void register_first_touch(BenchmarkRegistry& registry) {
  registry.add("memory.first_touch", "mapping, touching and unmapping fresh memory",
               std::make_unique<FirstTouch>());
}

}  // namespace paceline
