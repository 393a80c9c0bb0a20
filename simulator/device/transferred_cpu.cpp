#include "simulator/device/transferred_cpu.h"

#include <algorithm>

#include "core/error.h"

namespace paceline {
namespace {

int physical_cores(const DeviceSpec& cpu, int sockets) {
  return static_cast<int>(cpu.multiprocessors.value) * sockets;
}

}  // namespace

TransferredCpu::Costs::Costs(ParameterSet parameters, std::string device_name, int physical)
    : fitted(std::move(parameters)), device(std::move(device_name)), cores(physical) {}

KernelCost TransferredCpu::Costs::cost(const Kernel& kernel,
                                       const ExecutionContext& context) const {
  ExecutionContext here = context;
  here.threads = std::min(context.threads, cores);
  KernelCost out = fitted.cost(kernel, here);
  out.origin = {OriginKind::kExtrapolated,
                kernel.implementation + " of " + device +
                    " was not measured; expected from another CPU and both data sheets"};
  return out;
}

TransferredCpu::TransferredCpu(DeviceSpec cpu, int sockets, const CpuTransfer& transfer,
                               std::vector<InputFile> inputs)
    : cpu_(std::move(cpu)),
      sockets_(sockets),
      costs_(transferred(transfer, cpu_, sockets), cpu_.name, physical_cores(cpu_, sockets)),
      inputs_(std::move(inputs)) {}

HostCosts TransferredCpu::host_costs(const FrameworkInfo& framework) const {
  HostCosts out = read_host_costs(parameters(), framework);
  out.origin.kind = OriginKind::kExtrapolated;
  return out;
}

int TransferredCpu::cores() const {
  return physical_cores(cpu_, sockets_) * static_cast<int>(cpu_.cpu->threads_per_core.value);
}

Bytes TransferredCpu::memory() const {
  return static_cast<double>(sockets_) * cpu_.cpu->largest_memory.value;
}

FlopsPerSecond TransferredCpu::peak(Precision precision, int threads) const {
  cpu_.peak(precision);  // throws if there is no such arithmetic
  return peak_of_cores(cpu_, sockets_, std::min(threads, physical_cores(cpu_, sockets_)));
}

RooflineLimits TransferredCpu::limits(int threads) const {
  return {.peak = {{Precision::kFp32, peak(Precision::kFp32, threads)}},
          .bandwidth = static_cast<double>(sockets_) * cpu_.memory.bandwidth.value,
          .cores = 0,
          .source = "data sheet of " + cpu_.name};
}

}  // namespace paceline
