#include "answers/explain/kernel_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/percent.h"
#include "core/units_text.h"
#include "simulator/report/report_parts.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

}  // namespace

std::vector<KernelRow> top_kernels(const IterationPlan& plan, std::size_t count) {
  std::vector<KernelRow> rows;
  for (const PlannedKernel& planned : plan.kernels) rows.push_back({&planned});
  const auto add = [&](const std::vector<PlannedCall>& calls, std::int64_t batches) {
    for (const PlannedCall& call : calls) {
      if (call.kernel != PlannedCall::kNoKernel) rows[call.kernel].calls += call.repeat * batches;
    }
  };
  add(plan.begin, 1);
  add(plan.micro_batch, plan.micro_batches);
  add(plan.update, 1);
  std::ranges::stable_sort(rows, std::ranges::greater(), &KernelRow::total);
  if (rows.size() > count) rows.resize(count);
  return rows;
}

Table implementation_table(const IterationPlan& plan, Seconds iteration) {
  Table table({"implementation", "calls", "time", "share", "compute", "memory"});
  for (const ImplementationTime& part : time_by_implementation(plan)) {
    table.add_row({part.implementation, std::to_string(part.calls), to_text(part.time),
                   percent(part.time / iteration), percent(part.compute_bound / part.time),
                   percent(part.memory_bound / part.time)});
  }
  return table;
}

// Rates against the roofline: how much of peak and bandwidth each kernel reaches.
Table kernel_table(const std::vector<KernelRow>& rows, Seconds iteration) {
  Table table({"kernel", "shape", "calls", "each", "share", "FLOP/s", "B/s", "FLOP/B", "bound"});
  for (const KernelRow& row : rows) {
    const Kernel& kernel = row.planned->kernel;
    const Seconds time = row.planned->cost.time;
    const Flops flops = kernel_flops(kernel.shape);
    const Bytes bytes = kernel_bytes(kernel.shape, kernel.precision);
    table.add_row({kernel.implementation, to_string(kernel.shape), std::to_string(row.calls),
                   to_text(time), percent(row.total() / iteration),
                   flops > Flops(0) ? to_text(flops / time) : "-", to_text(bytes / time),
                   significant(flops.si() / bytes.si(), 2),
                   std::string(to_string(row.planned->cost.bound))});
  }
  return table;
}

ordered_json kernels_json(const std::vector<KernelRow>& rows) {
  ordered_json out = ordered_json::array();
  for (const KernelRow& row : rows) {
    const Kernel& kernel = row.planned->kernel;
    out.push_back({{"kernel", kernel.implementation},
                   {"shape", to_string(kernel.shape)},
                   {"calls", row.calls},
                   {"time_s", row.planned->cost.time.si()},
                   {"total_s", row.total().si()},
                   {"flops", kernel_flops(kernel.shape).si()},
                   {"bytes", kernel_bytes(kernel.shape, kernel.precision).si()},
                   {"bound", to_string(row.planned->cost.bound)},
                   {"origin", to_string(row.planned->cost.origin.kind)}});
  }
  return out;
}

ordered_json implementations_json(const IterationPlan& plan) {
  ordered_json out = ordered_json::array();
  for (const ImplementationTime& part : time_by_implementation(plan)) {
    out.push_back({{"implementation", part.implementation},
                   {"calls", part.calls},
                   {"time_s", part.time.si()},
                   {"compute_bound_s", part.compute_bound.si()},
                   {"memory_bound_s", part.memory_bound.si()}});
  }
  return out;
}

}  // namespace paceline
