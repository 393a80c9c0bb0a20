#include "model/hardware/copy_model.h"

#include <algorithm>
#include <cmath>

#include "core/data_directory.h"
#include "core/error.h"
#include "core/statistics.h"
#include "core/units_text.h"
#include "model/formula/copy_time.h"

namespace paceline {

Seconds CopyCost::quantile(double p) const {
  return std::max(least, time * std::exp(sd * normal_quantile(p)));
}

CopyModel::CopyModel(ParameterSet parameters) : parameters_(std::move(parameters)) {
  for (const char* name : {"copy.pinned", "copy.pageable", "copy.staged"}) parameters_.at(name);
}

CopyModel CopyModel::shipped() {
  return CopyModel(read_parameters(data_directory() / "calibration/fitted/links/copies.json"));
}

StagingModel CopyModel::staging() const {
  const Fit& fit = parameters_.at("copy.staged");
  return {fit.value("efficiency"), Seconds(fit.value("base"))};
}

BytesPerSecond CopyModel::processor_rate() const {
  return BytesPerSecond(parameters_.at("copy.pageable").value("processor_rate"));
}

CopyCost CopyModel::cost(Bytes bytes, CopyDirection direction, HostMemory memory,
                         const MachinePath& path) const {
  if (bytes.si() <= 0) {
    throw UsageError("the size of a copy must be positive, found " + to_text(bytes));
  }
  const bool device_only = direction == CopyDirection::kDeviceToDevice;
  const bool pageable = !device_only && memory == HostMemory::kPageable;
  const Fit& fit = parameters_.at(pageable ? "copy.pageable" : "copy.pinned");
  CopyCost cost;
  cost.sd = std::hypot(fit.quality.own_sd, fit.quality.shared_sd);
  cost.least = bytes / path.ceiling;
  cost.origin = {OriginKind::kFitted, "fit " + fit.implementation};
  const double link = path.rate.si();
  if (pageable) {
    const double values[] = {fit.value("base"), fit.value("processor_rate"), fit.value("chunk")};
    cost.time = path.latency + Seconds(formula::HostCopy::pageable(bytes.si(), link, values));
    const double processor = std::min(bytes.si(), values[2]) / values[1];
    cost.limited_by_host = values[1] < link || processor > bytes.si() / link;
    return cost;
  }
  const double base = fit.value("base");
  cost.time = path.latency + Seconds(formula::HostCopy::pinned(bytes.si(), link, base));
  if (path.kind == PathKind::kStaged) {
    const Fit& staged = parameters_.at("copy.staged");
    cost.sd = std::hypot(cost.sd, staged.quality.own_sd);
  }
  return cost;
}

}  // namespace paceline
