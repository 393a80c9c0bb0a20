#include "simulator/report/attention_remark.h"

#include <algorithm>

#include "core/data_directory.h"
#include "simulator/frameworks/record/framework_record.h"

namespace paceline {

std::optional<std::string> attention_remark(const PredictionSetup& setup,
                                            const IterationPlan& plan) {
  const DeviceSpec* spec = setup.device().spec();
  const Experiment& e = setup.experiment();
  if (spec == nullptr || spec->kind != DeviceKind::kGpu || !setup.is_set("attention", "auto") ||
      element_size(e.precision) >= Bytes(4)) {
    return std::nullopt;
  }
  const bool has_scores = std::ranges::any_of(plan.kernels, [](const PlannedKernel& planned) {
    return planned.kernel.implementation == "softmax";
  });
  if (!has_scores) return std::nullopt;
  const FrameworkRecord record = read_framework_record(
      data_directory() / "model/catalog/frameworks" / (e.framework + ".json"));
  if (record.gpu->fuses_attention_on(spec->architecture)) return std::nullopt;
  return "attention as products and a softmax: the FlashAttention of " + e.framework +
         " does not run on " + spec->architecture +
         "; its memory-efficient kernel was not measured, and needs less memory";
}

}  // namespace paceline
