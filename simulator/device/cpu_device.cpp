#include "simulator/device/cpu_device.h"

#include <algorithm>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/json_reader.h"
#include "core/names.h"

namespace paceline {
namespace {

constexpr const char* kHowToCalibrate =
    "run paceline measure --device cpu -o measurements.json, then "
    "validation/recorders/record_pytorch.py --plan tiny -o tiny.json, then paceline calibrate "
    "measurements.json --host-recording tiny.json --install";

const Parameter* find_parameter(const Fit& fit, std::string_view name) {
  for (const Parameter& parameter : fit.parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

// n threads give rate * n / (1 + contention (n - 1)), as in model/formula/thread_scaling.h.
double scaled(const Fit& fit, double rate, int threads, std::string_view contention_name) {
  const Parameter* contention = find_parameter(fit, contention_name);
  const double more = threads - 1;
  return rate * threads / (1 + (contention == nullptr ? 0 : contention->value) * more);
}

}  // namespace

CpuDevice::CpuDevice(ParameterSet parameters, InputFile file)
    : costs_(std::move(parameters)), file_(std::move(file)) {}

FlopsPerSecond CpuDevice::peak(Precision precision, int threads) const {
  if (precision != Precision::kFp32) {
    throw UsageError("--precision " + std::string(to_string(precision)) +
                     " is not supported yet on a CPU; use fp32");
  }
  double best = 0;
  for (const Fit& fit : parameters().fits) {
    const Parameter* rate = find_parameter(fit, "flop_rate");
    if (rate != nullptr) best = std::max(best, scaled(fit, rate->value, threads, "contention"));
  }
  if (best <= 0) {
    throw MissingParameter(file_.file + ": no flop_rate of any kernel; " + kHowToCalibrate);
  }
  return FlopsPerSecond(best);
}

RooflineLimits CpuDevice::limits(int threads) const {
  double bandwidth = 0;
  for (const Fit& fit : parameters().fits) {
    const Parameter* rate = find_parameter(fit, "far_bandwidth");
    if (rate == nullptr || fit.formula != "cpu.stream/1") continue;
    bandwidth = std::max(bandwidth, scaled(fit, rate->value, threads, "memory_contention"));
  }
  if (bandwidth <= 0) {
    throw MissingParameter(file_.file + ": no far_bandwidth of any kernel; " + kHowToCalibrate);
  }
  return {.peak = {{Precision::kFp32, peak(Precision::kFp32, threads)}},
          .bandwidth = BytesPerSecond(bandwidth),
          .cores = 0,
          .source = "fitted limits of " + name()};
}

std::filesystem::path installed_cpu_parameters() { return user_data_directory() / "cpu.json"; }

CpuDevice read_cpu_device(const std::string& name_or_file) {
  std::filesystem::path file = name_or_file;
  if (same_name(name_or_file, "cpu")) {
    file = installed_cpu_parameters();
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
      throw InputError("this machine's CPU is not calibrated (no " + file.string() + "); " +
                       kHowToCalibrate);
    }
  }
  const std::string text = read_text_file(file);
  return CpuDevice(parse_parameters(text, file.string()),
                   {file.filename().string(), sha256_hex(text)});
}

}  // namespace paceline
