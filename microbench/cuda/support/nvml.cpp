#include "microbench/cuda/support/nvml.h"

#include <dlfcn.h>

#include <array>

namespace paceline {
namespace {

// From NVIDIA's NVML API reference.
constexpr int kSuccess = 0;
constexpr unsigned kSmClock = 1, kMemoryClock = 2;
constexpr unsigned kGpuTemperature = 0;
constexpr unsigned kUncorrected = 1, kSinceDriverLoad = 0;
constexpr unsigned long long kPowerCap = 0x4, kHardwareSlowdown = 0x8, kThermal = 0x20 | 0x40,
                             kPowerBrake = 0x80;

struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*handle_by_bus)(const char*, void**) = nullptr;
  int (*clock)(void*, unsigned, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*temperature)(void*, unsigned, unsigned*) = nullptr;
  int (*processes)(void*, unsigned*, ProcessInfo*) = nullptr;
  int (*ecc)(void*, unsigned, unsigned, unsigned long long*) = nullptr;
  int (*mig)(void*, unsigned*, unsigned*) = nullptr;
  int (*throttle)(void*, unsigned long long*) = nullptr;
  int (*rates)(void*, unsigned*) = nullptr;

  template <typename Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(handle, name));
  }

  ~Library() {
    if (handle == nullptr) return;
    if (shutdown != nullptr) shutdown();
    dlclose(handle);
  }
};

Nvml::Nvml(const std::string& pci_bus_id) : library_(std::make_unique<Library>()) {
  Library& l = *library_;
  l.handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (l.handle == nullptr) return;
  l.find("nvmlInit_v2", l.init);
  l.find("nvmlSystemGetDriverVersion", l.driver_version);
  l.find("nvmlDeviceGetHandleByPciBusId_v2", l.handle_by_bus);
  l.find("nvmlDeviceGetClockInfo", l.clock);
  l.find("nvmlDeviceGetPowerUsage", l.power);
  l.find("nvmlDeviceGetTemperature", l.temperature);
  l.find("nvmlDeviceGetComputeRunningProcesses_v3", l.processes);
  l.find("nvmlDeviceGetTotalEccErrors", l.ecc);
  l.find("nvmlDeviceGetMigMode", l.mig);
  l.find("nvmlDeviceGetCurrentClocksThrottleReasons", l.throttle);
  l.find("nvmlDeviceGetUtilizationRates", l.rates);
  if (l.init == nullptr || l.handle_by_bus == nullptr || l.init() != kSuccess) return;
  l.find("nvmlShutdown", l.shutdown);
  if (l.handle_by_bus(pci_bus_id.c_str(), &device_) != kSuccess) device_ = nullptr;
}

Nvml::~Nvml() = default;

std::string Nvml::driver() const {
  std::array<char, 96> text{};
  if (!available() || library_->driver_version == nullptr) return "";
  const bool ok = library_->driver_version(text.data(), text.size()) == kSuccess;
  return ok ? text.data() : "";
}

bool Nvml::is_partition() const {
  unsigned current = 0, pending = 0;
  return available() && library_->mig != nullptr &&
         library_->mig(device_, &current, &pending) == kSuccess && current != 0;
}

double Nvml::utilization() const {
  std::array<unsigned, 2> rates{};  // kernels, memory
  if (!available() || library_->rates == nullptr) return 0;
  return library_->rates(device_, rates.data()) == kSuccess ? 0.01 * rates[0] : 0;
}

GpuCondition Nvml::read() const {
  GpuCondition out;
  if (!available()) return out;
  const Library& l = *library_;
  unsigned value = 0;
  if (l.clock != nullptr && l.clock(device_, kSmClock, &value) == kSuccess) {
    out.sm_clock_hz = 1e6 * value;
  }
  if (l.clock != nullptr && l.clock(device_, kMemoryClock, &value) == kSuccess) {
    out.memory_clock_hz = 1e6 * value;
  }
  if (l.power != nullptr && l.power(device_, &value) == kSuccess) out.power_w = 1e-3 * value;
  if (l.temperature != nullptr && l.temperature(device_, kGpuTemperature, &value) == kSuccess) {
    out.temperature_c = value;
  }
  std::array<ProcessInfo, 64> processes{};
  unsigned count = processes.size();
  if (l.processes != nullptr && l.processes(device_, &count, processes.data()) == kSuccess) {
    // This process is among them, in a container under a number it does not know.
    out.other_processes = count > 0 ? static_cast<int>(count) - 1 : 0;
  }
  unsigned long long wide = 0;
  if (l.ecc != nullptr && l.ecc(device_, kUncorrected, kSinceDriverLoad, &wide) == kSuccess) {
    out.ecc_errors = static_cast<std::int64_t>(wide);
  }
  if (l.throttle != nullptr && l.throttle(device_, &wide) == kSuccess) {
    if ((wide & kThermal) != 0) out.throttling = "heat";
    if ((wide & (kPowerCap | kPowerBrake)) != 0) out.throttling = "power";
    if (out.throttling.empty() && (wide & kHardwareSlowdown) != 0) out.throttling = "hardware";
  }
  return out;
}

}  // namespace paceline
