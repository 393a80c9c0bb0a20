// What starting a kernel costs, with an empty one.
//
//   stream  a burst of launches: the host's time each (throughput)
//   graph   one launch of a graph of so many kernels: the device's time each
//   idle    one launch, waited for, after the GPU was idle (latency, with the wait)

#include "microbench/cuda/runtime/runtime.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"
#include "microbench/cuda/support/host_time.h"

namespace paceline {
namespace {

constexpr int kBurst = 1000;

class Graph {
 public:
  explicit Graph(int kernels) {
    launch_empty(stream_.get());  // code is loaded by its first launch, which must not be captured
    stream_.wait();
    PACELINE_CUDA(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < kernels; ++i) launch_empty(stream_.get());
    cudaGraph_t graph = nullptr;
    PACELINE_CUDA(cudaStreamEndCapture(stream_.get(), &graph));
    const cudaError_t code = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    PACELINE_CUDA(code);
  }
  ~Graph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Seconds time() {
    start_.record(stream_.get());
    PACELINE_CUDA(cudaGraphLaunch(executable_, stream_.get()));
    end_.record(stream_.get());
    return between(start_, end_);
  }

 private:
  Stream stream_;
  Event start_, end_;
  cudaGraphExec_t executable_ = nullptr;
};

class LaunchKernel final : public GpuKernel {
 public:
  explicit LaunchKernel(std::string mode) : mode_(std::move(mode)) {
    if (mode_ == "graph") graph_ = std::make_unique<Graph>(kBurst);
  }
  void launch() override { launch_empty(stream_.get()); }
  void check() override {
    launch();
    PACELINE_CUDA(cudaGetLastError());
    stream_.wait();
  }
  Seconds time_itself(int calls) override {
    if (mode_ == "idle") {
      Seconds total(0);
      for (int i = 0; i < calls; ++i) total = total + time_idle();
      return total;
    }
    // Whole bursts, of which `calls` launches count.
    const int bursts = (calls + kBurst - 1) / kBurst;
    Seconds total(0);
    for (int i = 0; i < bursts; ++i) {
      total = total + (mode_ == "graph" ? graph_->time() : time_burst());
    }
    return (static_cast<double>(calls) / (bursts * kBurst)) * total;
  }

 private:
  Seconds time_burst() {
    stream_.wait();
    const Seconds start = host_now();
    for (int i = 0; i < kBurst; ++i) launch_empty(stream_.get());
    const Seconds spent = host_now() - start;
    PACELINE_CUDA(cudaGetLastError());
    stream_.wait();
    return spent;
  }
  Seconds time_idle() {
    stream_.wait();
    const Seconds start = host_now();
    launch_empty(stream_.get());
    stream_.wait();
    return host_now() - start;
  }

  std::string mode_;
  Stream stream_;
  std::unique_ptr<Graph> graph_;
};

class Launch final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign, const GpuInfo&) const override {
    return {with({}, "mode", "stream"), with({}, "mode", "graph"), with({}, "mode", "idle")};
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    return std::make_unique<LaunchKernel>(text_axis(axes, "mode", "cuda.launch"));
  }
};

}  // namespace

void register_launch(GpuBenchmarkRegistry& registry) {
  registry.add("cuda.launch", "an empty kernel: launched in a burst, in a graph, after idling",
               std::make_unique<Launch>());
}

}  // namespace paceline
