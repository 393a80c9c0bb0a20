#include "cli/kernel_sweep.h"

#include "cli/kernel_request.h"
#include "cli/sweep.h"

namespace paceline {
namespace {

constexpr std::size_t kMostKernels = 100'000;

}  // namespace

std::vector<FlagSpec> kernel_device_flags() {
  return {{"device", "NAME|FILE", "a GPU of `paceline list devices`, cpu, or a parameter file"},
          {"threads", "N", "CPU threads, default all of the device"},
          {"clock", "F", "what the multiprocessors of a GPU run at, \"562MHz\""},
          {"probe", "FILE", "timings of a GPU that refine its parameters"}};
}

KernelSweep read_kernel_sweep(const Arguments& arguments) {
  KernelSweep sweep{{arguments}, {}};
  std::vector<FlagSpec> flags = kernel_flags();
  for (FlagSpec& flag : kernel_device_flags()) flags.push_back(std::move(flag));
  for (const FlagSpec& flag : flags) {
    const auto text = arguments.find(flag.name);
    if (!text || flag.name == "probe") continue;
    const std::vector<std::string> values = parse_values(flag_text(flag.name), *text);
    const std::size_t made = sweep.points.size() * values.size();
    if (made > kMostKernels) {
      throw UsageError("the lists make " + std::to_string(made) + " points or more; at most " +
                       std::to_string(kMostKernels) + " are allowed");
    }
    std::vector<Arguments> points;
    points.reserve(made);
    for (const Arguments& point : sweep.points) {
      for (const std::string& value : values) points.push_back(point.with(flag.name, value));
    }
    sweep.points = std::move(points);
    if (values.size() > 1) sweep.varied.push_back(flag.name);
  }
  return sweep;
}

}  // namespace paceline
