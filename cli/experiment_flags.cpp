#include "cli/experiment_flags.h"

#include "cli/sweep.h"

namespace paceline {
namespace {

// Beyond these an answer has no meaning, and shapes no longer fit 64-bit arithmetic.
constexpr std::int64_t kLargestBatch = 1'000'000;
constexpr std::int64_t kLargestSequence = 1'000'000;
constexpr std::int64_t kMostTokens = 1'000'000'000;
constexpr std::int64_t kMostThreads = 4096;
constexpr std::int64_t kMostDevices = 1'000'000;
constexpr std::int64_t kMostDraws = 1'000'000;
constexpr int kFewestDraws = 20;  // one beyond either end of the interval
constexpr std::size_t kMostPoints = 4096;

const std::vector<FlagSpec>& unsupported_flags() {
  static const std::vector<FlagSpec> flags = {
      {"gpus-per-node", "M", "devices per machine (not supported yet)"},
      {"intra", "LINK", "links inside a machine (not supported yet)"},
      {"net", "LINK", "links between machines (not supported yet)"},
      {"cluster", "NAME|FILE", "a whole machine or cluster (not supported yet)"},
      {"topo", "FILE", "output of nvidia-smi topo -m (not supported yet)"},
      {"calibrate", "VALUE", "measured single-device rate or time (not supported yet)"},
      {"profile", "FILE", "measured per-layer times (not supported yet)"}};
  return flags;
}

using Points = std::vector<Experiment>;

// Replaces every point by one per value.
template <typename Value, typename Set>
void vary(Points& points, const std::vector<Value>& values, Set set) {
  Points out;
  for (const Experiment& point : points) {
    for (const Value& value : values) {
      out.push_back(point);
      set(out.back(), value);
    }
  }
  if (out.size() > kMostPoints) {
    throw UsageError("the lists make more than " + std::to_string(kMostPoints) + " points");
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

void read_options(const Arguments& arguments, Experiment& point) {
  for (const std::string& text : arguments.all("set")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw UsageError("--set \"" + text + "\" is not of the form KEY=VALUE");
    }
    const std::string key = text.substr(0, equals);
    if (!point.options.emplace(key, text.substr(equals + 1)).second) {
      throw UsageError("--set " + key + " is given twice");
    }
  }
}

void check_points(const Points& points) {
  for (const Experiment& point : points) {
    if (point.devices > 1) {
      throw UsageError("--gpus " + std::to_string(point.devices) +
                       " is not supported yet; give --gpus 1");
    }
    if (point.seq && point.batch * *point.seq > kMostTokens) {
      throw UsageError("--batch " + std::to_string(point.batch) + " times --seq " +
                       std::to_string(*point.seq) + " is more than " + std::to_string(kMostTokens) +
                       " tokens");
    }
  }
}

}  // namespace

std::vector<FlagSpec> experiment_flags() {
  std::vector<FlagSpec> flags = {
      {"model", "NAME", "a workload (paceline list workloads)"},
      {"device", "NAME|FILE",
       "a device of the catalog, cpu (this machine), or a parameter or device file"},
      {"probe", "FILE", "timings of a GPU that refine its parameters"},
      {"framework", "NAME", "how work is issued, default pytorch (paceline list frameworks)"},
      {"strategy", "NAME", "how gradients are aggregated, default none"},
      {"precision", "P", "arithmetic of matrix operations: fp32 (default), tf32, fp16, bf16, fp8"},
      {"batch", "N", "samples per device and micro-batch"},
      {"global-batch", "N", "samples of all devices together, instead of --batch"},
      {"seq", "N", "sequence length, for workloads that have one"},
      {"gpus", "N", "devices in the job"},
      {"grad-accum", "K", "micro-batches per update"},
      {"threads", "N", "CPU threads, default all of the device"},
      {"set", "KEY=VALUE", "an option of the workload, framework or strategy", true},
      {"seed", "N", "of the draws behind the interval, default 1"},
      {"draws", "N", "how many, default 1000"}};
  flags.insert(flags.end(), unsupported_flags().begin(), unsupported_flags().end());
  return flags;
}

std::vector<Experiment> read_experiments(const Arguments& arguments) {
  for (const FlagSpec& flag : unsupported_flags()) {
    if (arguments.has(flag.name)) {
      throw UsageError(flag_text(flag.name) + " is not supported yet");
    }
  }
  arguments.text("model");   // required
  arguments.text("device");  // required
  const bool global = arguments.has("global-batch");
  if (global == arguments.has("batch")) {
    throw UsageError(global ? "--batch and --global-batch exclude one another"
                            : "--batch or --global-batch is required");
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
  read_options(arguments, first);
  if (arguments.has("probe")) first.options["probe"] = arguments.text("probe");
  Points points = {first};
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
  vary_counts(arguments, "gpus", kMostDevices, points, count(&Experiment::devices));
  vary_counts(arguments, "grad-accum", 1 << 20, points, count(&Experiment::grad_accumulation));
  vary_counts(
      arguments, "threads", kMostThreads, points,
      [](Experiment& point, std::int64_t value) { point.threads = static_cast<int>(value); });
  check_points(points);
  return points;
}

}  // namespace paceline
