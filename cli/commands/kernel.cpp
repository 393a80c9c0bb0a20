// paceline kernel: what one library call costs on a GPU, or on a CPU with fitted parameters.
//
//   kernel   gemm TN 4096x4096x4096, bf16 on h100-sxm
//   time     185 us  (90 %: 160 us to 214 us)
//   rate     743 TFLOP/s, 75 % of 989 TFLOP/s
//   traffic  101 MB, 544 GB/s of 3.35 TB/s
//   bound    compute, tile 256x128
//   origin   fit gpu.gemm.matrix of h100-sxm, 2026-11-30
//
// Comma lists and ranges of shapes, precisions and devices make a table.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/kernel_answer.h"
#include "cli/kernel_sweep.h"
#include "cli/output.h"
#include "cli/skipped_points.h"
#include "core/json_writer.h"
#include "core/percent.h"
#include "core/units_text.h"

namespace paceline {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kMostThreads = 4096;

// Read once each.
class KernelDevices {
 public:
  const TrainingDevice& at(const Arguments& arguments) {
    std::map<std::string, std::string> options;
    for (const char* flag : {"probe", "clock"}) {
      if (arguments.has(flag)) options[flag] = arguments.text(flag);
    }
    const std::string name = arguments.text("device");
    std::unique_ptr<const TrainingDevice>& device = devices_[{name, options}];
    if (device == nullptr) device = read_training_device(name, options);
    return *device;
  }

 private:
  using Key = std::pair<std::string, std::map<std::string, std::string>>;
  std::map<Key, std::unique_ptr<const TrainingDevice>> devices_;
};

struct KernelPoint {
  Arguments arguments;
  KernelRequest request;
  const TrainingDevice* device;
  ExecutionContext context;
  KernelAnswer answer;

  Precision precision() const { return request.kernels.front().precision; }
};

KernelPoint answer_point(const Arguments& arguments, KernelDevices& devices) {
  KernelPoint point{arguments, read_kernel_request(arguments), nullptr, {}, {}};
  const TrainingDevice& device = devices.at(arguments);
  point.device = &device;
  if (device.kind() == DeviceKind::kCpu) {
    name_cpu_kernels(point.request);
    const auto threads = arguments.count_or("threads", device.cores(), kMostThreads);
    point.context.threads = static_cast<int>(threads);
    check_threads(device, point.context.threads);
  } else if (arguments.has("threads")) {
    throw UsageError("--threads is of CPUs; " + device.name() + " is a GPU");
  }
  if (arguments.has("workspace")) {
    point.context.workspace_limit = parse_bytes(arguments.text("workspace"));
  }
  point.answer = answer_kernel(point.request, device, point.context);
  return point;
}

// Flags of a sweep that neither the shape, nor the precision, nor the device says.
std::vector<std::string> further_columns(const std::vector<std::string>& varied) {
  std::vector<std::string> out;
  for (const char* flag : {"op", "pass", "optimizer", "workspace", "threads", "clock"}) {
    if (std::ranges::find(varied, flag) != varied.end()) out.emplace_back(flag);
  }
  return out;
}

ordered_json to_json(const KernelPoint& point, const std::vector<std::string>& varied) {
  const KernelAnswer& a = point.answer;
  ordered_json out = {
      {"schema", "paceline.kernel/1"},
      {"kernel", shape_text(point.request)},
      {"op", point.request.op},
      {"precision", std::string(to_string(point.precision()))},
      {"device", point.device->name()},
      {"time_s", {{"median", a.median.si()}, {"p05", a.p05.si()}, {"p95", a.p95.si()}}},
      {"flops", a.flops.si()},
      {"executed_flops", a.arithmetic.si()},
      {"bytes", a.bytes.si()},
      {"algorithm", a.choice.algorithm},
      {"workspace_bytes", a.choice.workspace.si()},
      {"bound", std::string(to_string(a.bound))},
      {"origin", {{"kind", std::string(to_string(a.origin.kind))}, {"source", a.origin.source}}},
      {"warnings", kernel_warnings(point.request, a, *point.device)}};
  for (const std::string& flag : further_columns(varied)) {
    if (!out.contains(flag)) out[flag] = point.arguments.text(flag);
  }
  return out;
}

// Winograd's forms and the FFT execute less than is counted, products of padded channels more.
std::string executed_text(const KernelAnswer& a, FlopsPerSecond peak) {
  const double share = a.arithmetic / a.flops;
  if (std::abs(share - 1) < 0.01) return "";
  return "; executed " + percent(share) + " of what is counted, " +
         percent(a.arithmetic / a.median / peak) + " of the peak";
}

std::string screen(const KernelPoint& point) {
  const KernelAnswer& a = point.answer;
  const TrainingDevice& device = *point.device;
  Table table({"kernel", shape_text(point.request) + ", " +
                             std::string(to_string(point.precision())) + " on " + device.name()});
  table.add_row(
      {"time", to_text(a.median) + "  (90 %: " + to_text(a.p05) + " to " + to_text(a.p95) + ")"});
  if (a.flops > Flops(0)) {
    const FlopsPerSecond rate = a.flops / a.median;
    const FlopsPerSecond peak = device.peak(point.precision(), point.context.threads);
    table.add_row({"rate", to_text(rate) + ", " + percent(rate / peak) + " of " + to_text(peak) +
                               executed_text(a, peak)});
  }
  table.add_row({"traffic", to_text(a.bytes) + ", " + to_text(a.bytes / a.median) + " of " +
                                to_text(device.limits(point.context.threads).bandwidth)});
  // Its traffic is not in the line above.
  const bool staged = a.bound == Bound::kMemory && a.choice.workspace > Bytes(0);
  table.add_row({"bound", std::string(to_string(a.bound)) + ", " + a.choice.algorithm +
                              (staged ? ", which also writes and reads its workspace" : "")});
  if (a.choice.workspace > Bytes(0)) table.add_row({"workspace", to_text(a.choice.workspace)});
  table.add_row({"origin", a.origin.source});
  for (const std::string& warning : kernel_warnings(point.request, a, device)) {
    table.add_row({"warning", warning});
  }
  return table.to_string();
}

// Of a sweep, for people.
Table short_table(const std::vector<KernelPoint>& points, const std::vector<std::string>& varied) {
  std::vector<std::string> header = {"kernel", "precision", "device"};
  const std::vector<std::string> further = further_columns(varied);
  header.insert(header.end(), further.begin(), further.end());
  for (const char* name : {"time", "90 %", "rate", "traffic", "bound", "algorithm"}) {
    header.emplace_back(name);
  }
  Table table(header);
  for (const KernelPoint& point : points) {
    const KernelAnswer& a = point.answer;
    std::vector<std::string> cells = {
        shape_text(point.request), std::string(to_string(point.precision())), point.device->name()};
    for (const std::string& flag : further) cells.push_back(point.arguments.text(flag));
    cells.insert(cells.end(), {to_text(a.median), to_text(a.p05) + " .. " + to_text(a.p95),
                               a.flops > Flops(0) ? to_text(a.flops / a.median) : "-",
                               to_text(a.bytes / a.median), std::string(to_string(a.bound)),
                               a.choice.algorithm});
    table.add_row(std::move(cells));
  }
  return table;
}

// For programs: everything in SI units.
Table full_table(const std::vector<KernelPoint>& points, const std::vector<std::string>& varied) {
  std::vector<std::string> header = {"kernel",    "precision",       "device", "time_s",
                                     "p05_s",     "p95_s",           "flops",  "bytes",
                                     "algorithm", "workspace_bytes", "bound",  "origin"};
  const std::vector<std::string> further = further_columns(varied);
  header.insert(header.end(), further.begin(), further.end());
  Table table(header);
  for (const KernelPoint& point : points) {
    const KernelAnswer& a = point.answer;
    std::vector<std::string> cells = {shape_text(point.request),
                                      std::string(to_string(point.precision())),
                                      point.device->name(),
                                      significant(a.median.si(), 6),
                                      significant(a.p05.si(), 6),
                                      significant(a.p95.si(), 6),
                                      significant(a.flops.si(), 9),
                                      significant(a.bytes.si(), 9),
                                      a.choice.algorithm,
                                      significant(a.choice.workspace.si(), 9),
                                      std::string(to_string(a.bound)),
                                      std::string(to_string(a.origin.kind))};
    for (const std::string& flag : further) cells.push_back(point.arguments.text(flag));
    table.add_row(std::move(cells));
  }
  return table;
}

std::string render(const std::vector<KernelPoint>& points, const KernelSweep& sweep,
                   OutputFormat format) {
  const bool single = sweep.points.size() == 1;
  if (format == OutputFormat::kJson) {
    ordered_json list = ordered_json::array();
    for (const KernelPoint& point : points) list.push_back(to_json(point, sweep.varied));
    return to_json_text(single ? list.front() : list);
  }
  if (format == OutputFormat::kText) {
    return single ? screen(points.front()) : short_table(points, sweep.varied).to_string();
  }
  return full_table(points, sweep.varied).to_string(table_format(format));
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  const KernelSweep sweep = read_kernel_sweep(arguments);
  KernelDevices devices;
  std::vector<KernelPoint> points;
  SkippedPoints skipped;
  for (const Arguments& point : sweep.points) {
    try {
      points.push_back(answer_point(point, devices));
    } catch (const Error& error) {
      skipped.add(error);
    }
  }
  if (points.empty()) throw *skipped.first();
  write_result(arguments, render(points, sweep, format));
  skipped.print(std::cerr);
  if (format == OutputFormat::kText && sweep.points.size() > 1) {
    for (const KernelPoint& point : points) {
      for (const std::string& warning :
           kernel_warnings(point.request, point.answer, *point.device)) {
        std::cerr << "paceline: " << shape_text(point.request) << " " << warning << "\n";
      }
    }
  }
  return ExitCode::kOk;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = kernel_flags();
  for (FlagSpec& flag : kernel_device_flags()) all.push_back(std::move(flag));
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
