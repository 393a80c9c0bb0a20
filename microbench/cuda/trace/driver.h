// The few questions that the injected library asks the CUDA driver, which the program has loaded;
// looked up at run time, because the library must not bring a driver or a runtime of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace paceline::cuda_trace {

// Names of the GPUs that the program sees, by index; empty without a driver.
std::vector<std::string> device_names();
// Clock of a GPU's cores in Hz; 0 if the driver does not say.
std::uint64_t core_clock_hz(std::uint32_t device);

}  // namespace paceline::cuda_trace
