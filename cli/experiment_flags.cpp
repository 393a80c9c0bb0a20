#include "cli/experiment_flags.h"

#include <algorithm>
#include <set>

#include "cli/strategy_sweep.h"
#include "cli/sweep.h"
#include "model/hardware/cluster_request.h"
#include "model/import/imported_model.h"
#include "simulator/memory/memory_model.h"

namespace paceline {
namespace {

// Beyond these an answer has no meaning, and shapes no longer fit 64-bit arithmetic.
constexpr std::int64_t kLargestBatch = kLargestBatchTried;
constexpr std::int64_t kLargestSequence = 1'000'000;
constexpr std::int64_t kMostTokens = 1'000'000'000;
constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostDevices = 1'000'000;
constexpr std::int64_t kMostDraws = 1'000'000;
constexpr int kFewestDraws = 20;  // one beyond either end of the interval
constexpr std::size_t kMostPoints = 100'000;

using Points = std::vector<Experiment>;

// Replaces every point by one per value.
template <typename Value, typename Set>
void vary(Points& points, const std::vector<Value>& values, Set set) {
  // Before they are made: too many would fill the memory.
  const std::size_t made = points.size() * values.size();
  if (made > kMostPoints) {
    throw UsageError("the lists make " + std::to_string(made) + " points or more; at most " +
                     std::to_string(kMostPoints) + " are allowed");
  }
  Points out;
  out.reserve(made);
  for (const Experiment& point : points) {
    for (const Value& value : values) {
      out.push_back(point);
      set(out.back(), value);
    }
  }
  points = std::move(out);
}

template <typename Set>
void vary_names(const Arguments& arguments, const char* flag, Points& points, Set set) {
  if (!arguments.has(flag)) return;
  vary(points, parse_names(flag_text(flag), arguments.text(flag)), set);
}

template <typename Set>
void vary_counts(const Arguments& arguments, const char* flag, std::int64_t largest, Points& points,
                 Set set) {
  if (!arguments.has(flag)) return;
  vary(points, parse_counts(flag_text(flag), arguments.text(flag), largest), set);
}

// "KEY=VALUE"; a comma list or a range of VALUE sweeps.
void vary_options(const Arguments& arguments, Points& points) {
  std::set<std::string> seen;
  for (const std::string& text : arguments.all("set")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw UsageError("--set \"" + text + "\" is not of the form KEY=VALUE");
    }
    const std::string key = text.substr(0, equals);
    if (!seen.insert(key).second) throw UsageError("--set " + key + " is given twice");
    vary(points, parse_values("--set " + key, text.substr(equals + 1)),
         [&](Experiment& point, const std::string& value) { point.options[key] = value; });
  }
}

// --global-batch is of all devices and micro-batches of an update together.
void divide_batch(Experiment& point) {
  const std::int64_t parts = point.devices * point.grad_accumulation;
  if (point.batch % parts != 0) {
    const std::int64_t micro_batches = point.grad_accumulation;
    throw UsageError(
        "--global-batch " + std::to_string(point.batch) + " cannot be divided over --gpus " +
        std::to_string(point.devices) +
        (micro_batches > 1 ? " times --grad-accum " + std::to_string(micro_batches) : ""));
  }
  point.batch /= parts;
}

// A whole machine or cluster says which devices it has; without --gpus the job runs on all of them.
void take_devices(const std::string& name, Experiment& point) {
  ClusterRequest request;
  request.cluster = name;
  const ClusterSpec cluster = choose_cluster(request).cluster;
  const MachineSpec& machine = cluster.machine;
  const MachineNode& device = machine.nodes[machine.of_kind(NodeKind::kDevice).front()];
  point.device = device.device_file.empty() ? device.device : device.device_file;
  point.devices = cluster.device_count();
}

// A link cannot act where every point is one device.
void refuse_links_of_one_device(const Arguments& arguments, const Points& points) {
  const bool alone =
      std::ranges::all_of(points, [](const Experiment& point) { return point.devices == 1; });
  if (!alone) return;
  for (const char* flag : {"intra", "net"}) {
    if (!arguments.has(flag)) continue;
    throw UsageError(flag_text(flag) + " " + arguments.text(flag) +
                     " has no effect on one device; give --gpus");
  }
}

// Which batch is the second question; the first is of what.
void check_models(const Arguments& arguments) {
  const WorkloadRegistry workloads = workload_registry();
  for (const std::string& model : parse_names("--model", arguments.text("model"))) {
    load_model(workloads, model);
  }
}

void check_tokens(const Experiment& point) {
  if (!point.seq || point.batch * *point.seq <= kMostTokens) return;
  throw UsageError("--batch " + std::to_string(point.batch) + " times --seq " +
                   std::to_string(*point.seq) + " is more than " + std::to_string(kMostTokens) +
                   " tokens");
}

// Each point by itself: what one cannot be, others of a sweep may.
ExperimentPoints possible_points(Points points) {
  ExperimentPoints out;
  for (Experiment& point : points) {
    try {
      if (point.global_batch) divide_batch(point);
      check_tokens(point);
      out.points.push_back(std::move(point));
    } catch (const Error& error) {
      out.skipped.add(error);
    }
  }
  if (out.points.empty()) throw *out.skipped.first();
  return out;
}

}  // namespace

std::vector<FlagSpec> experiment_flags() {
  std::vector<FlagSpec> flags = {
      {"model", "NAME", "a workload (paceline list workloads)"},
      {"device", "NAME|FILE",
       "a device of the catalog, cpu (this machine), or a parameter or device file"},
      {"probe", "FILE", "timings of a GPU that refine its parameters"},
      {"framework", "NAME", "how work is issued, default pytorch (paceline list frameworks)"},
      {"strategy", "NAME", "how gradients are aggregated, default the framework's own"},
      {"precision", "P", "arithmetic of matrix operations: fp32 (default), tf32, fp16, bf16, fp8"},
      {"batch", "N", "samples per device and micro-batch"},
      {"global-batch", "N",
       "samples of all devices and micro-batches together, instead of --batch"},
      {"seq", "N", "sequence length, for workloads that have one"},
      {"gpus", "N", "devices in the job, of any kind"},
      {"gpus-per-node", "M", "devices per machine"},
      {"intra", "LINK", "links inside a machine: a name (paceline list links) or a quantity"},
      {"net", "LINK",
       "the network card of a machine, shared by its devices: a name or a quantity, \"25 "
       "Gb/s@5us\"; \"400g-ib*8\" is eight of them"},
      {"cluster", "NAME|FILE",
       "a whole machine or cluster and its devices (paceline list clusters)"},
      {"topo", "FILE", "output of nvidia-smi topo -m"},
      {"calibrate", "VALUE", "measured single-device rate or time: computing is scaled to it"},
      {"profile", "FILE", "measured layer times instead of the kernel model (CSV)"},
      {"grad-accum", "K", "micro-batches per update"},
      {"threads", "N", "CPU threads, default all of the device"},
      {"set", "KEY=VALUE", "an option of the workload, framework, strategy or device", true},
      {"seed", "N", "of the draws behind the interval, default 1"},
      {"draws", "N", "how many, default 1000"}};
  return flags;
}

bool has_batch(const Arguments& arguments) {
  const bool global = arguments.has("global-batch");
  if (!global || !arguments.has("batch")) return global || arguments.has("batch");
  check_models(arguments);
  throw UsageError("--batch and --global-batch exclude one another");
}

ExperimentPoints read_experiments(const Arguments& arguments) {
  arguments.text("model");  // required
  const bool global = arguments.has("global-batch");
  if (!has_batch(arguments)) {
    check_models(arguments);
    throw UsageError("--batch or --global-batch is required");
  }
  Experiment first;
  first.threads = 0;
  first.draws = static_cast<int>(arguments.count_or("draws", 1000, kMostDraws));
  if (first.draws < kFewestDraws) {
    throw UsageError("--draws " + std::to_string(first.draws) +
                     " say nothing of a 90 % interval; " + "give at least " +
                     std::to_string(kFewestDraws));
  }
  first.seed = static_cast<std::uint64_t>(arguments.count_or("seed", 1, INT64_MAX));
  first.global_batch = global;
  first.topo = arguments.find("topo");
  first.calibrate = arguments.find("calibrate");
  first.profile = arguments.find("profile");
  if (arguments.has("probe")) first.options["probe"] = arguments.text("probe");
  Points points = {first};
  // First, since the flags after it say more of its devices.
  vary_names(arguments, "cluster", points, [](Experiment& point, const std::string& value) {
    point.cluster = value;
    take_devices(value, point);
  });
  const auto unnamed = [](const Experiment& point) { return point.device.empty(); };
  if (std::ranges::any_of(points, unnamed)) arguments.text("device");  // required
  const auto count = [](std::int64_t Experiment::*member) {
    return [member](Experiment& point, std::int64_t value) { point.*member = value; };
  };
  const auto name = [](std::string Experiment::*member) {
    return [member](Experiment& point, const std::string& value) { point.*member = value; };
  };
  vary_names(arguments, "model", points, name(&Experiment::model));
  vary_names(arguments, "device", points, name(&Experiment::device));
  vary_names(arguments, "framework", points, name(&Experiment::framework));
  vary_names(arguments, "strategy", points, name(&Experiment::strategy));
  vary_names(arguments, "precision", points, [](Experiment& point, const std::string& value) {
    point.precision = parse_precision(value);
  });
  vary_counts(arguments, global ? "global-batch" : "batch", kLargestBatch, points,
              count(&Experiment::batch));
  vary_counts(arguments, "seq", kLargestSequence, points,
              [](Experiment& point, std::int64_t value) { point.seq = value; });
  vary_names(arguments, "intra", points,
             [](Experiment& point, const std::string& value) { point.intra = value; });
  vary_names(arguments, "net", points,
             [](Experiment& point, const std::string& value) { point.net = value; });
  vary_counts(arguments, "gpus", kMostDevices, points, count(&Experiment::devices));
  vary_counts(arguments, "gpus-per-node", kMostDevices, points,
              [](Experiment& point, std::int64_t value) { point.devices_per_machine = value; });
  vary_counts(arguments, "grad-accum", 1 << 20, points, count(&Experiment::grad_accumulation));
  vary_counts(
      arguments, "threads", kMostThreads, points,
      [](Experiment& point, std::int64_t value) { point.threads = static_cast<int>(value); });
  vary_options(arguments, points);
  refuse_links_of_one_device(arguments, points);
  ExperimentPoints out = possible_points(std::move(points));
  keep_own_options(out.points);
  return out;
}

}  // namespace paceline
