#include "answers/explain/kernel_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/percent.h"
#include "core/units_text.h"
#include "model/kernel/kernel_text.h"
#include "simulator/report/report_parts.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

// An update that a processor does takes no time of the device's kernels.
std::string percent_of(Seconds part, Seconds whole) {
  return whole > Seconds(0) ? percent(part / whole) : "-";
}

}  // namespace

double KernelRow::scale() const {
  const Seconds alone = static_cast<double>(calls) * planned->cost.time;
  return alone > Seconds(0) ? total / alone : 1;
}

std::vector<KernelRow> top_kernels(const IterationPlan& plan, const PhaseScale& scale,
                                   std::size_t count) {
  std::vector<KernelRow> rows;
  for (const PlannedKernel& planned : plan.kernels) rows.push_back({&planned});
  for_each_call(plan, scale, [&](const PlannedCall& call, std::int64_t times, double longer) {
    if (call.kernel == PlannedCall::kNoKernel) return;
    KernelRow& row = rows[call.kernel];
    row.calls += times;
    row.total += longer * static_cast<double>(times) * row.planned->cost.time;
  });
  std::ranges::stable_sort(rows, std::ranges::greater(), &KernelRow::total);
  if (rows.size() > count) rows.resize(count);
  return rows;
}

Table implementation_table(const IterationPlan& plan, const PhaseScale& scale, Seconds iteration) {
  Table table({"implementation", "calls", "time", "share", "compute", "memory"});
  for (const ImplementationTime& part : time_by_implementation(plan, scale)) {
    table.add_row({part.implementation, std::to_string(part.calls), to_text(part.time),
                   percent(part.time / iteration), percent_of(part.compute_bound, part.time),
                   percent_of(part.memory_bound, part.time)});
  }
  return table;
}

// Rates against the roofline: how much of peak and bandwidth each kernel reaches.
Table kernel_table(const std::vector<KernelRow>& rows, Seconds iteration) {
  Table table({"kernel", "shape", "calls", "each", "share", "FLOP/s", "B/s", "FLOP/B", "bound"});
  for (const KernelRow& row : rows) {
    const Kernel& kernel = row.planned->kernel;
    const Seconds time = row.planned->cost.time;  // rates are those of the kernel alone
    const Flops flops = kernel_flops(kernel.shape);
    const Bytes bytes = kernel_bytes(kernel.shape, kernel.precision);
    table.add_row({kernel.implementation, readable_text(kernel.shape), std::to_string(row.calls),
                   to_text(row.each()), percent(row.total / iteration),
                   flops > Flops(0) ? to_text(flops / time) : "-", to_text(bytes / time),
                   significant(flops.si() / bytes.si(), 2),
                   std::string(to_string(row.planned->cost.bound))});
  }
  return table;
}

std::string kernel_table_note(const std::vector<KernelRow>& rows) {
  const bool convolves = std::ranges::any_of(rows, [](const KernelRow& row) {
    return std::holds_alternative<ConvShape>(row.planned->kernel.shape);
  });
  if (!convolves) return "";
  return "rates count direct convolution and operands moved once; bound is of the algorithm that "
         "is "
         "chosen, which may compute less\n(Winograd, FFT) and move more (transforms, another "
         "layout, "
         "what cores add up)\n";
}

ordered_json kernels_json(const std::vector<KernelRow>& rows) {
  ordered_json out = ordered_json::array();
  for (const KernelRow& row : rows) {
    const Kernel& kernel = row.planned->kernel;
    out.push_back({{"kernel", kernel.implementation},
                   {"shape", readable_text(kernel.shape)},
                   {"calls", row.calls},
                   {"time_s", row.planned->cost.time.si()},
                   {"total_s", row.total.si()},
                   {"scale", row.scale()},
                   {"flops", kernel_flops(kernel.shape).si()},
                   {"bytes", kernel_bytes(kernel.shape, kernel.precision).si()},
                   {"bound", to_string(row.planned->cost.bound)},
                   {"origin", to_string(row.planned->cost.origin.kind)}});
  }
  return out;
}

ordered_json implementations_json(const IterationPlan& plan, const PhaseScale& scale) {
  ordered_json out = ordered_json::array();
  for (const ImplementationTime& part : time_by_implementation(plan, scale)) {
    out.push_back({{"implementation", part.implementation},
                   {"calls", part.calls},
                   {"time_s", part.time.si()},
                   {"compute_bound_s", part.compute_bound.si()},
                   {"memory_bound_s", part.memory_bound.si()}});
  }
  return out;
}

}  // namespace paceline
