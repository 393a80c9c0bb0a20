// The kernels of an iteration, those that cost most first: what is held against the roofline.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/table.h"
#include "model/plan/iteration_plan.h"
#include "simulator/report/report_parts.h"

namespace paceline {

// One distinct kernel of the iteration and all its calls.
struct KernelRow {
  const PlannedKernel* planned = nullptr;  // into the plan
  std::int64_t calls = 0;
  Seconds total{};       // in the iteration
  double scale() const;  // of its time, against one device by itself
  Seconds each() const { return scale() * planned->cost.time; }
};

// `scale`: what the job makes of the times of the plan (job_scale.h).
std::vector<KernelRow> top_kernels(const IterationPlan& plan, const PhaseScale& scale,
                                   std::size_t count);

// Calls, rates and what bounds each; shares are of `iteration`.
Table kernel_table(const std::vector<KernelRow>& rows, Seconds iteration);
// What the rates count, where a convolution is among them: its label is of the algorithm that runs.
std::string kernel_table_note(const std::vector<KernelRow>& rows);
Table implementation_table(const IterationPlan& plan, const PhaseScale& scale, Seconds iteration);
nlohmann::ordered_json kernels_json(const std::vector<KernelRow>& rows);
nlohmann::ordered_json implementations_json(const IterationPlan& plan, const PhaseScale& scale);

}  // namespace paceline
