// The kernels of an iteration, those that cost most first: what is held against the roofline.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/table.h"
#include "model/plan/iteration_plan.h"

namespace paceline {

// One distinct kernel of the iteration and all its calls.
struct KernelRow {
  const PlannedKernel* planned = nullptr;  // into the plan
  std::int64_t calls = 0;
  Seconds total() const { return static_cast<double>(calls) * planned->cost.time; }
};

std::vector<KernelRow> top_kernels(const IterationPlan& plan, std::size_t count);

// Calls, rates and what bounds each; shares are of `iteration`.
Table kernel_table(const std::vector<KernelRow>& rows, Seconds iteration);
Table implementation_table(const IterationPlan& plan, Seconds iteration);
nlohmann::ordered_json kernels_json(const std::vector<KernelRow>& rows);
nlohmann::ordered_json implementations_json(const IterationPlan& plan);

}  // namespace paceline
