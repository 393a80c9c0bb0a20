// Copies: between host and device from pinned and pageable memory, one way and both at once, and
// between GPUs with and without peer access.
#include <cstdlib>
#include <cstring>

#include "microbench/cuda/runtime/runtime.h"
#include "microbench/cuda/support/axes.h"
#include "microbench/cuda/support/device_buffer.h"
#include "microbench/cuda/support/host_time.h"
#include "microbench/cuda/support/on_device.h"

namespace paceline {
namespace {

// Host memory, page-locked or plain, resident.
class HostMemory {
 public:
  HostMemory(std::size_t bytes, bool pinned) : pinned_(pinned) {
    if (pinned) {
      PACELINE_CUDA(cudaMallocHost(&data_, bytes));
    } else {
      data_ = std::malloc(bytes);
      if (data_ == nullptr) throw MeasurementError("out of host memory");
    }
    std::memset(data_, 0x5A, bytes);
  }
  ~HostMemory() {
    if (pinned_) {
      cudaFreeHost(data_);
    } else {
      std::free(data_);
    }
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  void* data() const { return data_; }

 private:
  bool pinned_;
  void* data_ = nullptr;
};

// A copy that is timed one by one, from the host's call to its end: what a training loop waits for.
class AwaitedCopy : public GpuKernel {
 public:
  Seconds time_itself(int calls) override {
    wait();
    const Seconds start = host_now();
    for (int i = 0; i < calls; ++i) {
      launch();
      wait();
    }
    return host_now() - start;
  }

 private:
  virtual void wait() const = 0;
};

class HostCopy final : public AwaitedCopy {
 public:
  HostCopy(std::string direction, std::size_t bytes, bool pinned)
      : direction_(std::move(direction)),
        bytes_(bytes),
        up_host_(bytes, pinned),
        down_host_(bytes, pinned),
        up_device_(bytes),
        down_device_(bytes) {
    PACELINE_CUDA(cudaMemset(up_device_.data(), 0, bytes));  // not what an earlier copy left
    PACELINE_CUDA(cudaMemset(down_device_.data(), 0x3C, bytes));
    PACELINE_CUDA(cudaDeviceSynchronize());
  }

  void launch() override {
    if (direction_ == "d2d") {
      PACELINE_CUDA(cudaMemcpyAsync(up_device_.data(), down_device_.data(), bytes_,
                                    cudaMemcpyDeviceToDevice, up_.get()));
    }
    if (direction_ == "h2d" || direction_ == "both") {
      PACELINE_CUDA(cudaMemcpyAsync(up_device_.data(), up_host_.data(), bytes_,
                                    cudaMemcpyHostToDevice, up_.get()));
    }
    if (direction_ == "d2h" || direction_ == "both") {
      PACELINE_CUDA(cudaMemcpyAsync(down_host_.data(), down_device_.data(), bytes_,
                                    cudaMemcpyDeviceToHost, down_.get()));
    }
  }

  void check() override {
    launch();
    wait();
    const auto last = static_cast<std::int64_t>(bytes_) - 1;
    if (direction_ == "d2h" || direction_ == "both") {
      const auto* bytes = static_cast<const unsigned char*>(down_host_.data());
      require_near(bytes[last], 0x3C, 0, "the last byte on the host");
    } else {
      unsigned char found = 0;
      PACELINE_CUDA(
          cudaMemcpy(&found, up_device_.as<unsigned char>() + last, 1, cudaMemcpyDeviceToHost));
      require_near(found, direction_ == "d2d" ? 0x3C : 0x5A, 0, "the last byte on the device");
    }
  }

 private:
  void wait() const override {
    up_.wait();
    down_.wait();
  }

  std::string direction_;
  std::size_t bytes_;
  HostMemory up_host_, down_host_;
  DeviceBuffer up_device_, down_device_;
  Stream up_, down_;
};

class HostCopies final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo&) const override {
    const bool quick = size == GpuDesign::kQuick;
    std::vector<std::int64_t> sizes = {64'000'000, 1'000'000, 16'000};
    if (!quick) sizes.insert(sizes.end(), {256'000'000, 8'000'000, 250'000, 64'000, 4'000, 1'000});
    std::vector<Axes> out;
    for (const std::int64_t bytes : sizes) {
      for (const char* memory : {"pinned", "pageable"}) {
        for (const char* direction : {"h2d", "d2h", "both", "d2d"}) {
          const bool device_only = std::string(direction) == "d2d";
          if (device_only && std::string(memory) == "pageable") continue;
          if (quick && std::string(direction) == "both" && bytes != sizes.front()) continue;
          out.push_back(with(
              with(integer_axes({{"bytes", bytes}}), "memory", device_only ? "device" : memory),
              "direction", direction));
        }
      }
    }
    return out;
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    return std::make_unique<HostCopy>(
        text_axis(axes, "direction", "cuda.memcpy"),
        static_cast<std::size_t>(integer_axis(axes, "bytes", "cuda.memcpy")),
        text_axis(axes, "memory", "cuda.memcpy") != "pageable");
  }
};

// Direct access of a GPU to the memory of another, on or off while this lives.
class PeerAccess {
 public:
  PeerAccess(int device, int peer, bool on) : device_(device), peer_(peer) {
    const OnDevice use(device);
    int possible = 0;
    PACELINE_CUDA(cudaDeviceCanAccessPeer(&possible, device, peer));
    if (possible == 0 && on) {
      throw MeasurementError("GPU " + std::to_string(device) + " cannot access GPU " +
                             std::to_string(peer) + " directly");
    }
    if (possible == 0) return;
    // Whether it is on can be learned by switching it on only.
    const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
    if (code == cudaErrorPeerAccessAlreadyEnabled) {
      cudaGetLastError();
      if (on) return;  // and stays so: NCCL's communicators may need it
      throw MeasurementError("peer access is on, as NCCL needs it; measure this before NCCL");
    }
    PACELINE_CUDA(code);
    ours_ = true;
    if (!on) switch_off();
  }
  ~PeerAccess() { switch_off(); }
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;

 private:
  void switch_off() {
    int before = 0;
    if (!ours_ || cudaGetDevice(&before) != cudaSuccess) return;
    ours_ = false;
    cudaSetDevice(device_);
    cudaDeviceDisablePeerAccess(peer_);
    cudaGetLastError();
    cudaSetDevice(before);
  }

  int device_, peer_;
  bool ours_ = false;
};

class PeerCopy final : public AwaitedCopy {
 public:
  PeerCopy(int from, int to, std::size_t bytes, bool direct, bool both)
      : from_(from),
        to_(to),
        bytes_(bytes),
        there_access_(from, to, direct),
        back_access_(to, from, direct),
        both_(both) {
    allocate(from, here_, back_, stream_);
    allocate(to, there_, source_, back_stream_);
    const OnDevice use(from);
    PACELINE_CUDA(cudaMemset(here_.data(), 0x77, bytes));
    PACELINE_CUDA(cudaDeviceSynchronize());
  }

  void launch() override {
    PACELINE_CUDA(
        cudaMemcpyPeerAsync(there_.data(), to_, here_.data(), from_, bytes_, stream_->get()));
    if (both_) {
      PACELINE_CUDA(cudaMemcpyPeerAsync(back_.data(), from_, source_.data(), to_, bytes_,
                                        back_stream_->get()));
    }
  }
  void check() override {
    launch();
    wait();
    unsigned char found = 0;
    PACELINE_CUDA(
        cudaMemcpy(&found, there_.as<unsigned char>() + bytes_ - 1, 1, cudaMemcpyDeviceToHost));
    require_near(found, 0x77, 0, "the last byte on the other GPU");
  }

 private:
  // The stream is of the GPU that the data leave.
  void allocate(int device, DeviceBuffer& first, DeviceBuffer& second,
                std::unique_ptr<Stream>& stream) const {
    const OnDevice use(device);
    first = DeviceBuffer(bytes_);
    second = DeviceBuffer(bytes_);
    stream = std::make_unique<Stream>();
    // What an earlier copy left there must not pass for this one's.
    PACELINE_CUDA(cudaMemset(first.data(), 0, bytes_));
    PACELINE_CUDA(cudaDeviceSynchronize());
  }
  void wait() const override {
    stream_->wait();
    back_stream_->wait();
  }

  int from_, to_;
  std::size_t bytes_;
  PeerAccess there_access_, back_access_;
  bool both_;
  DeviceBuffer here_, back_, there_, source_;
  std::unique_ptr<Stream> stream_, back_stream_;
};

class PeerCopies final : public GpuBenchmark {
 public:
  std::vector<Axes> design(GpuDesign size, const GpuInfo& gpu) const override {
    std::vector<Axes> out;
    if (gpu.count < 2) return {pair(0, 1, 64'000'000, "yes", "one way")};
    for (int from = 0; from < gpu.count; ++from) {
      for (int to = 0; to < gpu.count; ++to) {
        if (from == to) continue;
        out.push_back(pair(from, to, 64'000'000, "yes", "one way"));
        if (size == GpuDesign::kQuick) continue;
        out.push_back(pair(from, to, 64'000'000, "no", "one way"));
        if (from < to) out.push_back(pair(from, to, 64'000'000, "yes", "both ways"));
        if (from == 0) out.push_back(pair(from, to, 4'000, "yes", "one way"));
      }
    }
    return out;
  }
  std::string unsupported(const GpuInfo& gpu) const override {
    return gpu.count < 2 ? "needs 2 GPUs, found 1" : "";
  }
  std::unique_ptr<GpuKernel> prepare(const Axes& axes, GpuUnderTest&) const override {
    const std::string name = "cuda.peer";
    return std::make_unique<PeerCopy>(static_cast<int>(integer_axis(axes, "from", name)),
                                      static_cast<int>(integer_axis(axes, "to", name)),
                                      static_cast<std::size_t>(integer_axis(axes, "bytes", name)),
                                      text_axis(axes, "peer_access", name) == "yes",
                                      text_axis(axes, "direction", name) == "both ways");
  }

 private:
  static Axes pair(int from, int to, std::int64_t bytes, const char* access,
                   const char* direction) {
    return with(
        with(integer_axes({{"from", from}, {"to", to}, {"bytes", bytes}}), "peer_access", access),
        "direction", direction);
  }
};

}  // namespace

void register_copies(GpuBenchmarkRegistry& registry) {
  registry.add("cuda.memcpy", "copies between host and device, and within the device",
               std::make_unique<HostCopies>());
  registry.add("cuda.peer", "copies between GPUs, each pair, with and without peer access",
               std::make_unique<PeerCopies>());
}

}  // namespace paceline
