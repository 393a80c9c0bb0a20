#include "microbench/cuda/support/cuda_device.h"

#include <algorithm>
#include <array>

#include "microbench/cuda/support/device_buffer.h"
#include "microbench/cuda/support/host_time.h"
#include "microbench/cuda/support/nvml.h"
#include "microbench/cuda/support/usable_gpus.h"

namespace paceline {
namespace {

// Above this share of the last moments the GPU was busy before we began.
constexpr double kBusyShare = 0.05;
// Launches between two waits, with cold operands and with warm ones: what a stream's queue holds.
constexpr int kColdBatch = 64;
constexpr int kWarmBatch = 256;
// Before a batch the GPU is kept from starting for this many times what the host needs to queue it,
// counted in cycles of a clock that no GPU exceeds by much, and at most so long.
constexpr double kHeldBack = 1.5;
constexpr double kFastClockHz = 2e9;
constexpr Seconds kLongestHold{4e-3};

std::string bus_id(int index) {
  std::array<char, 32> text{};
  PACELINE_CUDA(cudaDeviceGetPCIBusId(text.data(), text.size(), index));
  return text.data();
}

class CudaDevice final : public GpuUnderTest {
 public:
  explicit CudaDevice(int index) : nvml_(bus_id(index)), was_busy_(made_current(index)) {
    cudaDeviceProp properties{};
    PACELINE_CUDA(cudaGetDeviceProperties(&properties, index));
    info_.name = properties.name;
    info_.index = index;
    info_.count = usable_gpus();
    info_.capability_major = properties.major;
    info_.capability_minor = properties.minor;
    info_.multiprocessors = properties.multiProcessorCount;
    info_.memory = Bytes(static_cast<double>(properties.totalGlobalMem));
    info_.l2_cache = Bytes(static_cast<double>(properties.l2CacheSize));
    info_.driver = nvml_.driver();
    info_.is_partition = nvml_.is_partition();
    if (info_.driver.empty()) {
      int version = 0;
      PACELINE_CUDA(cudaDriverGetVersion(&version));
      info_.driver =
          "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    }
  }

  GpuInfo info() const override { return info_; }

  GpuCondition condition() override {
    GpuCondition out = nvml_.read();
    // Those that only hold memory do no harm.
    if (!was_busy_) out.other_processes = 0;
    return out;
  }

  Seconds time(GpuKernel& kernel, int calls, bool cold) override {
    cudaGetLastError();  // of calls that a library tried and did without
    return cold ? time_cold(kernel, calls) : time_warm(kernel, calls);
  }

 private:
  // One after another without waiting for the host, whose time a launch is not that of the GPU: a
  // batch is queued while the GPU is held back.
  Seconds time_warm(GpuKernel& kernel, int calls) {
    if (&kernel != queued_) host_each_ = Seconds(0);
    queued_ = &kernel;
    Seconds total(0);
    for (int done = 0; done < calls; done += kWarmBatch) {
      const int batch = std::min(kWarmBatch, calls - done);
      const Seconds hold = std::min(kLongestHold, kHeldBack * batch * host_each_);
      if (hold > Seconds(0)) {
        launch_spin(static_cast<std::int64_t>(kFastClockHz * hold.si()), nullptr);
      }
      start_.record(nullptr);
      const Seconds begin = host_now();
      for (int i = 0; i < batch; ++i) kernel.launch();
      host_each_ = (1.0 / batch) * (host_now() - begin);
      PACELINE_CUDA(cudaGetLastError());
      end_.record(nullptr);
      total = total + between(start_, end_);
    }
    return total;
  }

  // Before anything of the GPU is made, events among it. Whether others computed on it just then.
  bool made_current(int index) const {
    const bool busy = nvml_.utilization() > kBusyShare;
    PACELINE_CUDA(cudaSetDevice(index));
    return busy;
  }

  // Each launch between events of its own, the cache overwritten before.
  Seconds time_cold(GpuKernel& kernel, int calls) {
    const auto bytes = static_cast<std::size_t>(2 * info_.l2_cache.si()) & ~std::size_t{15};
    if (flush_.bytes() < bytes) flush_ = DeviceBuffer(bytes);
    Seconds total(0);
    for (int done = 0; done < calls; done += kColdBatch) {
      const auto batch = static_cast<std::size_t>(std::min(kColdBatch, calls - done));
      for (std::size_t i = 0; i < batch; ++i) {
        launch_write(flush_.as<float>(), 0, static_cast<std::int64_t>(bytes / 4), nullptr);
        starts_[i].record(nullptr);
        kernel.launch();
        PACELINE_CUDA(cudaGetLastError());
        ends_[i].record(nullptr);
      }
      for (std::size_t i = 0; i < batch; ++i) total = total + between(starts_[i], ends_[i]);
    }
    return total;
  }

  Nvml nvml_;
  bool was_busy_;  // makes the GPU the current one: events belong to the one they are made on
  GpuInfo info_;
  Event start_, end_;
  const GpuKernel* queued_ = nullptr;  // by the last batch
  Seconds host_each_{0};               // a launch of it
  std::array<Event, kColdBatch> starts_, ends_;
  DeviceBuffer flush_;
};

}  // namespace

std::unique_ptr<GpuUnderTest> open_cuda_device(int index) {
  const int count = usable_gpus();
  if (index < 0 || index >= count) {
    throw MeasurementError("no GPU " + std::to_string(index) + ": this machine has " +
                           std::to_string(count) + ", numbered from 0");
  }
  return std::make_unique<CudaDevice>(index);
}

}  // namespace paceline
