// paceline explain: where the time of an iteration goes, kernel by kernel.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/experiment_flags.h"
#include "cli/output.h"
#include "cli/prediction_text.h"
#include "cli/run_sweep.h"
#include "cli/trace_file.h"
#include "core/json_writer.h"
#include "core/units_text.h"
#include "simulator/report/report_parts.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kMostKernels = 10'000;

// One distinct kernel of the iteration and all its calls.
struct KernelRow {
  const PlannedKernel* planned = nullptr;
  std::int64_t calls = 0;
  Seconds total() const { return static_cast<double>(calls) * planned->cost.time; }
};

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
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.total() > b.total(); });
  if (rows.size() > count) rows.resize(count);
  return rows;
}

std::string percent(double share) { return significant(100 * share, 2) + " %"; }

Table implementation_table(const IterationPlan& plan, double total) {
  Table table({"implementation", "calls", "time", "share", "compute", "memory"});
  for (const ImplementationTime& part : time_by_implementation(plan)) {
    table.add_row({part.implementation, std::to_string(part.calls), to_text(part.time),
                   percent(part.time.si() / total), percent(part.compute_bound / part.time),
                   percent(part.memory_bound / part.time)});
  }
  return table;
}

// Rates against the roofline: how much of peak and bandwidth each kernel reaches.
Table kernel_table(const std::vector<KernelRow>& rows, double total) {
  Table table({"kernel", "shape", "calls", "each", "share", "FLOP/s", "B/s", "FLOP/B", "bound"});
  for (const KernelRow& row : rows) {
    const Kernel& kernel = row.planned->kernel;
    const Seconds time = row.planned->cost.time;
    const Flops flops = kernel_flops(kernel.shape);
    const Bytes bytes = kernel_bytes(kernel.shape, kernel.precision);
    table.add_row({kernel.implementation, to_string(kernel.shape), std::to_string(row.calls),
                   to_text(time), percent(row.total().si() / total),
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

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  const auto count = static_cast<std::size_t>(arguments.count_or("top", 15, kMostKernels));
  const SweepResult sweep = run_sweep(arguments);
  if (sweep.points.size() != 1 || !sweep.errors.empty()) {
    throw UsageError("explain takes one experiment, not a sweep; paceline compare takes several");
  }
  const Prediction& point = sweep.points.front();
  if (arguments.has("trace")) write_trace(point.plan, arguments.text("trace"));
  const std::vector<KernelRow> rows = top_kernels(point.plan, count);
  const double total = point.report.iteration_time_s.median;
  if (format == OutputFormat::kJson) {
    ordered_json out = to_json(point.report);
    out["implementations"] = implementations_json(point.plan);
    out["kernels"] = kernels_json(rows);
    write_result(arguments, to_json_text(out));
    return ExitCode::kOk;
  }
  const Table kernels = kernel_table(rows, total);
  if (format != OutputFormat::kText) {
    write_result(arguments, kernels.to_string(table_format(format)));
    return ExitCode::kOk;
  }
  write_result(arguments, prediction_screen(point.report) + "\n" +
                              implementation_table(point.plan, total).to_string() + "\n" +
                              kernels.to_string());
  return ExitCode::kOk;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = experiment_flags();
  all.push_back({"top", "N", "how many kernels to list, default 15"});
  all.push_back({"trace", "FILE", "write the simulated iteration for ui.perfetto.dev"});
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_explain(CommandList& commands) {
  commands.add({.name = "explain",
                .summary = "where the time goes, kernel by kernel",
                .example = "paceline explain --model resnet50 --batch 8 --device cpu",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline
