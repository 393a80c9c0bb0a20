// How much a copy and computing slow each other down: the time of both together, begun at once, and
// as facts the time of each alone.
#include <algorithm>

#include "microbench/cuda/runtime/runtime.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"

namespace paceline {
namespace {

constexpr std::int64_t kCopyBytes = 32'000'000;

class OverlapKernel final : public GpuKernel {
 public:
  OverlapKernel(std::string compute, std::string direction)
      : compute_(std::move(compute)), direction_(std::move(direction)), device_(kCopyBytes) {
    void* host = nullptr;
    PACELINE_CUDA(cudaMallocHost(&host, kCopyBytes));
    host_.reset(host);
    if (compute_ == "memory") {
      from_ = random_tensor(kElements, ElementType::kFp32, 1);
      to_ = DeviceBuffer(kElements * 4);
    }
    alone_copy_ = best_of(true, false);
    choose_repeats();
    alone_compute_ = best_of(false, true);
  }
  void launch() override {}
  void check() override {
    require_near(alone_compute_.si() > 0 && alone_copy_.si() > 0 ? 1 : 0, 1, 0, "a time alone");
  }
  Axes facts() const override {
    return {{"copy_alone_s", alone_copy_.si()}, {"compute_alone_s", alone_compute_.si()}};
  }
  Seconds time_itself(int calls) override {
    Seconds total(0);
    for (int i = 0; i < calls; ++i) total = total + run(true, true);
    return total;
  }

 private:
  static constexpr std::int64_t kElements = 16 << 20;

  // From the start of both to the end of the later one.
  Seconds run(bool copy, bool compute) {
    PACELINE_CUDA(cudaDeviceSynchronize());
    start_.record(compute_stream_.get());
    PACELINE_CUDA(cudaStreamWaitEvent(copy_stream_.get(), start_.get(), 0));
    if (copy) start_copy();  // one call, while the many below follow one another
    if (compute) {
      for (int i = 0; i < repeats_; ++i) launch_compute();
    }
    copied_.record(copy_stream_.get());
    PACELINE_CUDA(cudaStreamWaitEvent(compute_stream_.get(), copied_.get(), 0));
    end_.record(compute_stream_.get());
    return between(start_, end_);
  }

  void launch_compute() const {
    if (compute_ == "memory") {
      launch_copy(from_.as<float>(), to_.as<float>(), kElements, compute_stream_.get());
    } else {
      launch_spin(100'000, compute_stream_.get());
    }
    PACELINE_CUDA(cudaGetLastError());
  }

  void start_copy() const {
    if (direction_ == "h2d") {
      PACELINE_CUDA(cudaMemcpyAsync(device_.data(), host_.get(), kCopyBytes, cudaMemcpyHostToDevice,
                                    copy_stream_.get()));
    } else {
      PACELINE_CUDA(cudaMemcpyAsync(host_.get(), device_.data(), kCopyBytes, cudaMemcpyDeviceToHost,
                                    copy_stream_.get()));
    }
  }

  Seconds best_of(bool copy, bool compute) {
    Seconds best = run(copy, compute);
    for (int i = 0; i < 4; ++i) best = std::min(best, run(copy, compute));
    return best;
  }

  // Computing takes about as long as the copy.
  void choose_repeats() {
    repeats_ = 1;
    const Seconds one = best_of(false, true);
    repeats_ = std::clamp(static_cast<int>(alone_copy_ / one), 1, 10'000);
  }

  struct FreeHost {
    void operator()(void* memory) const { cudaFreeHost(memory); }
  };

  std::string compute_, direction_;
  std::unique_ptr<void, FreeHost> host_;
  DeviceBuffer device_, from_, to_;
  Stream compute_stream_, copy_stream_;
  Event start_, copied_, end_;
  int repeats_ = 1;
  Seconds alone_copy_{0}, alone_compute_{0};
};

class Overlap final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo&) const override {
    std::vector<Axes> out;
    for (const char* compute : {"memory", "arithmetic"}) {
      for (const char* direction : {"h2d", "d2h"}) {
        if (size == GpuDesign::kQuick && std::string(direction) == "d2h") continue;
        out.push_back(with(with({}, "compute", compute), "direction", direction));
      }
    }
    return out;
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    return std::make_unique<OverlapKernel>(text_axis(axes, "compute", "cuda.overlap"),
                                           text_axis(axes, "direction", "cuda.overlap"));
  }
};

}  // namespace

void register_overlap(GpuBenchmarkRegistry& registry) {
  registry.add("cuda.overlap", "a pinned copy beside a kernel", std::make_unique<Overlap>());
}

}  // namespace paceline
