// paceline kernel: what one library call costs on a GPU, or on a CPU with fitted parameters.
//
//   kernel   gemm TN 4096x4096x4096, bf16 on h100-sxm
//   time     185 us  (90 %: 160 us to 214 us)
//   rate     743 TFLOP/s, 75 % of 989 TFLOP/s
//   traffic  101 MB, 544 GB/s of 3.35 TB/s
//   bound    compute, tile 256x128
//   origin   fit gpu.gemm.matrix of h100-sxm, 2026-11-30
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/kernel_request.h"
#include "cli/output.h"
#include "core/json_writer.h"
#include "core/percent.h"
#include "core/statistics.h"
#include "core/units_text.h"
#include "simulator/device/training_device.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostThreads = 4096;

struct KernelAnswer {
  Seconds median, p05, p95;
  Flops flops;       // as counted
  Flops arithmetic;  // as executed
  Bytes bytes;
  KernelChoice choice;
  Bound bound = Bound::kLatency;  // of the longest kernel
  Origin origin;                  // likewise
};

KernelAnswer answer(const KernelRequest& request, const TrainingDevice& device,
                    const ExecutionContext& context) {
  KernelAnswer out;
  Seconds least;
  double shared = 0, own = 0;  // seconds of one standard deviation
  Seconds longest;
  for (const Kernel& kernel : request.kernels) {
    const KernelCost cost = device.costs().cost(kernel, context);
    out.median += cost.time;
    least += cost.least;
    out.flops += kernel_flops(kernel.shape);
    out.bytes += kernel_bytes(kernel.shape, kernel.precision);
    shared += cost.time.si() * cost.shared_sd;
    own = std::hypot(own, cost.time.si() * cost.own_sd);
    const KernelChoice choice = device.choice(kernel, context);
    out.choice.workspace = std::max(out.choice.workspace, choice.workspace);
    out.arithmetic += choice.arithmetic > Flops(0) ? choice.arithmetic : kernel_flops(kernel.shape);
    if (cost.time <= longest) continue;
    longest = cost.time;
    out.choice.algorithm = choice.algorithm;
    out.bound = cost.bound;
    out.origin = cost.origin;
  }
  const double sd = std::hypot(shared, own) / out.median.si();
  const double spread = std::exp(normal_quantile(0.95) * sd);
  out.p05 = std::max(least, out.median / spread);
  out.p95 = out.median * spread;
  return out;
}

// At least what a kernel needs at once: an operation on streams may write over what it reads.
Bytes resident_bytes(const Kernel& kernel) {
  const auto* stream = std::get_if<StreamShape>(&kernel.shape);
  return stream != nullptr ? std::max(stream->read, stream->written)
                           : kernel_bytes(kernel.shape, kernel.precision);
}

std::vector<std::string> kernel_warnings(const KernelRequest& request, const KernelAnswer& a,
                                         const TrainingDevice& device) {
  Bytes needed;
  for (const Kernel& kernel : request.kernels) needed = std::max(needed, resident_bytes(kernel));
  needed += a.choice.workspace;
  if (device.memory() <= Bytes(0) || needed <= device.memory()) return {};
  return {"needs " + to_text(needed) + " at once, more than the " + to_text(device.memory()) +
          " of " + device.name() + ": such a kernel cannot run"};
}

std::string shape_text(const KernelRequest& request) {
  std::string out;
  for (const Kernel& kernel : request.kernels) {
    out += (out.empty() ? "" : " + ") + to_string(kernel.shape);
  }
  return out;
}

std::string json_text(const KernelRequest& request, const KernelAnswer& a,
                      const TrainingDevice& device) {
  const nlohmann::ordered_json out = {
      {"schema", "paceline.kernel/1"},
      {"kernel", shape_text(request)},
      {"op", request.op},
      {"precision", std::string(to_string(request.kernels.front().precision))},
      {"device", device.name()},
      {"time_s", {{"median", a.median.si()}, {"p05", a.p05.si()}, {"p95", a.p95.si()}}},
      {"flops", a.flops.si()},
      {"executed_flops", a.arithmetic.si()},
      {"bytes", a.bytes.si()},
      {"algorithm", a.choice.algorithm},
      {"workspace_bytes", a.choice.workspace.si()},
      {"bound", std::string(to_string(a.bound))},
      {"origin", {{"kind", std::string(to_string(a.origin.kind))}, {"source", a.origin.source}}},
      {"warnings", kernel_warnings(request, a, device)}};
  return to_json_text(out);
}

// Winograd's forms and the FFT execute less than is counted, products of padded channels more.
std::string executed_text(const KernelAnswer& a, FlopsPerSecond peak) {
  const double share = a.arithmetic / a.flops;
  if (std::abs(share - 1) < 0.01) return "";
  return "; executed " + percent(share) + " of what is counted, " +
         percent(a.arithmetic / a.median / peak) + " of the peak";
}

std::string screen(const KernelRequest& request, const KernelAnswer& a,
                   const TrainingDevice& device, const ExecutionContext& context) {
  const Precision precision = request.kernels.front().precision;
  Table table({"kernel", shape_text(request) + ", " + std::string(to_string(precision)) + " on " +
                             device.name()});
  table.add_row(
      {"time", to_text(a.median) + "  (90 %: " + to_text(a.p05) + " to " + to_text(a.p95) + ")"});
  if (a.flops > Flops(0)) {
    const FlopsPerSecond rate = a.flops / a.median;
    const FlopsPerSecond peak = device.peak(precision, context.threads);
    table.add_row({"rate", to_text(rate) + ", " + percent(rate / peak) + " of " + to_text(peak) +
                               executed_text(a, peak)});
  }
  table.add_row({"traffic", to_text(a.bytes) + ", " + to_text(a.bytes / a.median) + " of " +
                                to_text(device.limits(context.threads).bandwidth)});
  table.add_row({"bound", std::string(to_string(a.bound)) + ", " + a.choice.algorithm});
  if (a.choice.workspace > Bytes(0)) table.add_row({"workspace", to_text(a.choice.workspace)});
  table.add_row({"origin", a.origin.source});
  for (const std::string& warning : kernel_warnings(request, a, device)) {
    table.add_row({"warning", warning});
  }
  return table.to_string();
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  KernelRequest request = read_kernel_request(arguments);
  std::map<std::string, std::string> options;
  if (arguments.has("probe")) options["probe"] = arguments.text("probe");
  if (arguments.has("clock")) options["clock"] = arguments.text("clock");
  const auto device = read_training_device(arguments.text("device"), options);
  ExecutionContext context;
  if (device->kind() == DeviceKind::kCpu) {
    name_cpu_kernels(request);
    const auto threads = arguments.count_or("threads", device->cores(), kMostThreads);
    context.threads = static_cast<int>(threads);
    check_threads(*device, context.threads);
  } else if (arguments.has("threads")) {
    throw UsageError("--threads is of CPUs; " + device->name() + " is a GPU");
  }
  if (arguments.has("workspace")) {
    context.workspace_limit = parse_bytes(arguments.text("workspace"));
  }
  const KernelAnswer a = answer(request, *device, context);
  if (format == OutputFormat::kJson) {
    write_result(arguments, json_text(request, a, *device));
    return ExitCode::kOk;
  }
  if (format == OutputFormat::kText) {
    write_result(arguments, screen(request, a, *device, context));
    return ExitCode::kOk;
  }
  Table table({"kernel", "precision", "device", "time_s", "p05_s", "p95_s", "flops", "bytes",
               "algorithm", "workspace_bytes", "bound", "origin"});
  table.add_row({shape_text(request), std::string(to_string(request.kernels.front().precision)),
                 device->name(), significant(a.median.si(), 6), significant(a.p05.si(), 6),
                 significant(a.p95.si(), 6), significant(a.flops.si(), 9),
                 significant(a.bytes.si(), 9), a.choice.algorithm,
                 significant(a.choice.workspace.si(), 9), std::string(to_string(a.bound)),
                 std::string(to_string(a.origin.kind))});
  write_result(arguments, table.to_string(table_format(format)));
  return ExitCode::kOk;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = kernel_flags();
  all.push_back(
      {"device", "NAME|FILE", "a GPU of `paceline list devices`, cpu, or a parameter file"});
  all.push_back({"threads", "N", "CPU threads, default all of the device"});
  all.push_back({"clock", "F", "what the multiprocessors of a GPU run at, \"562MHz\""});
  all.push_back({"probe", "FILE", "timings of a GPU that refine its parameters"});
  for (FlagSpec& flag : output_flags()) all.push_back(std::move(flag));
  return all;
}

}  // namespace

void register_kernel(CommandList& commands) {
  commands.add({.name = "kernel",
                .summary = "what one matrix product, convolution or other kernel costs",
                .example = "paceline kernel --op gemm --m 4096 --n 4096 --k 4096 --precision bf16 "
                           "--device h100-sxm",
                .flags = flags(),
                .positionals = {},
                .run = run});
}

}  // namespace paceline
