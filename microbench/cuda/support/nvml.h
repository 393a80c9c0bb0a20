// Clocks, power and health of a GPU, from the driver's management library, loaded at run time: the
// toolkit does not ship it, and a machine may not have it.
#pragma once

#include <memory>
#include <string>

#include "microbench/gpu/gpu_under_test.h"

namespace paceline {

class Nvml {
 public:
  // `pci_bus_id` as the CUDA runtime writes it. Where the library is missing, every reading is
  // absent.
  explicit Nvml(const std::string& pci_bus_id);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool available() const { return device_ != nullptr; }
  std::string driver() const;  // empty if not known
  bool is_partition() const;   // MIG
  GpuCondition read() const;   // other_processes: all but this one
  double utilization() const;  // share of the last moments in which a kernel ran

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  void* device_ = nullptr;
};

}  // namespace paceline
