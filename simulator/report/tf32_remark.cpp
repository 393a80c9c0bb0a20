#include "simulator/report/tf32_remark.h"

#include <algorithm>

#include "core/data_directory.h"
#include "simulator/frameworks/record/framework_record.h"

namespace paceline {
namespace {

// Of the libraries that have a kernel in TF32.
bool is_of(const std::string& implementation, const std::string& work) {
  return implementation.starts_with(work == "convolutions" ? "cudnn.convolution" : "cublas.");
}

}  // namespace

std::optional<std::string> tf32_remark(const Report& report, const DeviceSpec* device) {
  const Experiment& e = report.experiment;
  if (e.profile || e.calibrate) return std::nullopt;  // as fast as it was measured
  if (device == nullptr || device->kind != DeviceKind::kGpu || e.precision != Precision::kFp32 ||
      !device->matrix_peak.contains(Precision::kTf32)) {
    return std::nullopt;
  }
  const FrameworkRecord record = read_framework_record(
      data_directory() / "model/catalog/frameworks" / (e.framework + ".json"));
  if (!record.gpu || !record.gpu->tf32_by_default) return std::nullopt;
  const auto& [kinds, architectures, source] = *record.gpu->tf32_by_default;
  if (std::ranges::find(architectures, device->architecture) == architectures.end()) {
    return std::nullopt;
  }
  std::string acting;
  for (const std::string& work : kinds) {
    const bool acts = std::ranges::any_of(
        report.origins, [&](const OriginLine& line) { return is_of(line.what, work); });
    if (acts) acting += (acting.empty() ? "" : " and ") + work;
  }
  if (acting.empty()) return std::nullopt;
  return "fp32 without TF32, which " + e.framework + " uses for " + acting +
         " by default: --precision tf32";
}

}  // namespace paceline
