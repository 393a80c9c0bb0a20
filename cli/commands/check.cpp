// paceline check: is a number that someone measured possible, and what explains it if not?
//
//   paceline check --measured "546.9 samples/s" --model vgg16 --batch 32 --device v100-sxm2-32g
//                  --gpus 16 --gpus-per-node 8 --net 100gbe --calibrate "191.5 samples/s"
//   paceline check all_reduce_perf.log --cluster dgx-a100
//   paceline check scaling.csv --model vgg16 --batch 32 --net 100gbe
//   paceline check --mfu 104% --device h100-sxm --precision bf16
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "answers/check/scaling_file.h"
#include "answers/check/throughput_check.h"
#include "answers/check/utilization_check.h"
#include "cli/cluster_flags.h"
#include "cli/collective_log.h"
#include "cli/experiment_flags.h"
#include "cli/output.h"
#include "cli/parse_share.h"
#include "cli/run_sweep.h"
#include "core/json_writer.h"
#include "core/names.h"
#include "model/cost/least_arithmetic.h"
#include "model/hardware/device_file.h"
#include "model/import/imported_model.h"
#include "simulator/memory/memory_model.h"

namespace paceline {
namespace {

constexpr std::int64_t kMostDevices = 1'000'000;
constexpr std::int64_t kLargestBatch = kLargestBatchTried;
constexpr std::int64_t kLargestSequence = 1'000'000;

std::int64_t machines_of(std::int64_t devices, std::int64_t per_machine) {
  return (devices + per_machine - 1) / per_machine;
}

// What the flags say about the job, without predicting it.
class Job {
 public:
  explicit Job(const Arguments& arguments)
      : arguments_(arguments),
        devices_known_(DeviceCatalog::shipped()),
        links_known_(LinkCatalog::shipped()),
        precision_(parse_precision(arguments.text_or("precision", "fp32"))),
        devices_(arguments.count_or("gpus", 1, kMostDevices)),
        per_machine_(arguments.count_or("gpus-per-node", devices_, kMostDevices)) {
    if (arguments.has("net")) {
      network_ = parse_link(arguments.text("net"), LinkUse::kNetwork, links_known_);
    }
    const auto device = arguments.find("device");
    if (device && is_device_path(*device)) {
      described_ = read_described_device(*device, devices_known_).spec;
    }
    if (arguments.has("model")) read_model();
  }

  const DeviceCatalog& devices_known() const { return devices_known_; }
  Precision precision() const { return precision_; }
  // Of the catalog or of a file; null for a CPU that is known by its parameters only.
  const DeviceSpec* device() const {
    const auto name = arguments_.find("device");
    if (!name || same_name(*name, "cpu")) return nullptr;
    if (is_device_path(*name)) return described_ ? &*described_ : nullptr;
    return &devices_known_.at(*name);
  }

  MeasuredRun measured_run() const {
    MeasuredRun run;
    run.rate = parse_measured_rate("--measured", arguments_.text("measured"));
    run.devices = devices_;
    run.machines = machines_of(devices_, per_machine_);
    run.samples_per_iteration = samples_per_device_ * devices_;
    run.tokens_per_sample = tokens_per_sample_;
    run.flops_per_sample = flops_per_sample_;
    run.least_flops_per_sample = least_flops_per_sample_;
    run.gradient = gradient_;
    run.precision = precision_;
    run.device = device();
    if (run.device != nullptr && run.device->matrix_peak.contains(precision_)) {
      run.peak = run.device->peak(precision_);
    }
    run.devices_known = &devices_known_;
    run.network = network_ ? &*network_ : nullptr;
    run.links_known = &links_known_;
    if (arguments_.has("calibrate")) {
      run.single_device = parse_measured_rate("--calibrate", arguments_.text("calibrate"));
    }
    if (arguments_.has("peak")) {
      run.assumed_peak = parse_flops_per_second(arguments_.text("peak"));
    }
    return run;
  }
  ScalingJob scaling_job() const {
    return {.samples_per_device = samples_per_device_,
            .tokens_per_sample = tokens_per_sample_,
            .gradient = gradient_,
            .network = network_ ? &*network_ : nullptr,
            .links_known = &links_known_};
  }

 private:
  void read_model() {
    if (arguments_.has("batch") == arguments_.has("global-batch")) {
      throw UsageError("--model needs either --batch or --global-batch");
    }
    const ImportedModel model = load_model(workload_registry(), arguments_.text("model"));
    const std::int64_t batch =
        arguments_.has("batch") ? arguments_.count_or("batch", 1, kLargestBatch) : global_batch();
    WorkloadOptions options{.batch = 1, .precision = precision_};
    if (arguments_.has("seq")) options.seq = arguments_.count_or("seq", 1, kLargestSequence);
    const WorkloadGraph graph = build_workload(model.name, model.workload, options);
    samples_per_device_ = batch * arguments_.count_or("grad-accum", 1, 1 << 20);
    tokens_per_sample_ = graph.tokens_per_sample();
    flops_per_sample_ = graph.training_flops();
    const DeviceSpec* spec = device();
    least_flops_per_sample_ = least_training_flops(
        graph, precision_, spec != nullptr && spec->uses_matrix_units(precision_));
    gradient_ = Bytes(element_size(Precision::kFp32) * static_cast<double>(graph.parameters()));
  }
  std::int64_t global_batch() const {
    const std::int64_t all = arguments_.count_or("global-batch", 1, kLargestBatch);
    const std::int64_t micro_batches = arguments_.count_or("grad-accum", 1, 1 << 20);
    if (all % (devices_ * micro_batches) != 0) {
      throw UsageError(
          "--global-batch " + std::to_string(all) + " cannot be divided over " +
          std::to_string(devices_) + " devices" +
          (micro_batches > 1 ? " and " + std::to_string(micro_batches) + " micro-batches" : ""));
    }
    return all / (devices_ * micro_batches);
  }

  const Arguments& arguments_;
  DeviceCatalog devices_known_;
  LinkCatalog links_known_;
  Precision precision_;
  std::int64_t devices_;
  std::int64_t per_machine_;
  std::optional<LinkSpec> network_;
  std::optional<DeviceSpec> described_;  // by a file
  std::int64_t samples_per_device_ = 0;
  std::optional<std::int64_t> tokens_per_sample_;
  Flops flops_per_sample_;
  Flops least_flops_per_sample_;
  Bytes gradient_;
};

// What the prediction knows better than the flags: variants, phases, clocks, measured peaks.
void hold_against(const Report& report, const TrainingDevice& device, MeasuredRun& run) {
  const Experiment& e = report.experiment;
  const double samples = static_cast<double>(e.samples_per_iteration());
  run.predicted = &report;
  run.devices = e.devices;  // a cluster says how many they are
  run.machines = machines_of(e.devices, e.devices_per_machine.value_or(e.devices));
  run.samples_per_iteration = e.samples_per_iteration();
  run.flops_per_sample = report.flops_per_iteration / samples;
  run.least_flops_per_sample = report.least_flops_per_iteration / samples;
  run.peak = device.peak(e.precision, std::max(1, e.threads));
  run.peak_is_measured = device.kind() == DeviceKind::kCpu;
  run.device = device.kind() == DeviceKind::kGpu ? device.spec() : nullptr;
  run.alternatives = [&e, &device](double rate) { return alternatives_that_fit(rate, e, device); };
}

std::vector<std::string> left_out(const MeasuredRun& run) {
  std::vector<std::string> out;
  if (!run.peak) out.emplace_back("the arithmetic peak: nothing says what the device can do");
  if (run.devices > 1 && !run.single_device) {
    out.emplace_back("the scaling efficiency: --calibrate gives the rate of one device");
  }
  if (run.machines > 1 && run.network == nullptr) {
    out.emplace_back("the bandwidth between machines: --net names the link");
  }
  return out;
}

std::vector<FlagSpec> flags() {
  std::vector<FlagSpec> all = {
      {"measured", "RATE", "of the whole job: samples/s, tokens/s, it/s, s; /gpu for one device"},
      {"mfu", "SHARE", "a claimed utilization of the peak, 33% or 0.33"},
      {"peak", "RATE", "the peak it was divided by, \"1979 TFLOP/s\""},
      {"op", "NAME", "collective of an nccl-tests file, if it does not say"}};
  std::set<std::string> names = {"measured", "mfu", "peak", "op"};
  const auto add = [&](std::vector<FlagSpec> more) {
    for (FlagSpec& flag : more) {
      if (names.insert(flag.name).second) all.push_back(std::move(flag));
    }
  };
  add(experiment_flags());
  add(cluster_flags());
  add(output_flags());
  return all;
}

// Each way to check reads some of the flags; any other would be ignored.
void refuse_idle(const Arguments& arguments, const char* way, const std::set<std::string>& read) {
  std::set<std::string> known = read;
  for (const FlagSpec& flag : output_flags()) known.insert(flag.name);
  for (const FlagSpec& flag : flags()) {
    if (known.contains(flag.name) || !arguments.has(flag.name)) continue;
    throw UsageError(flag_text(flag.name) + " has no effect with " + way);
  }
}

CheckResult check_measured(const Arguments& arguments, const Job& job) {
  arguments.text("model");  // required, and the device unless a cluster names it
  if (!arguments.has("cluster")) arguments.text("device");
  std::set<std::string> read = {"measured", "peak"};
  for (const FlagSpec& flag : experiment_flags()) read.insert(flag.name);
  refuse_idle(arguments, "--measured", read);
  CheckResult result;
  MeasuredRun run = job.measured_run();
  // The prediction starts from the measured single device too, whatever unit it was given in.
  Arguments experiment = arguments.without({"measured", "calibrate", "peak", "mfu"});
  if (run.single_device) {
    const double rate = samples_per_second(
        *run.single_device, 1, run.samples_per_iteration / run.devices, run.tokens_per_sample);
    experiment = experiment.with("calibrate", significant(rate, 9) + " samples/s");
  }
  std::optional<SweepResult> sweep;
  try {
    sweep = run_sweep(experiment);
    hold_against(sweep->only("check").report, sweep->devices.at(sweep->experiments.front()), run);
  } catch (const Error& error) {
    if (error.code() == ExitCode::kInternal) throw;
    result.notes.push_back("the prediction: " + std::string(error.what()));
  }
  result.findings = check_throughput(run);
  for (std::string& note : left_out(run)) result.notes.push_back(std::move(note));
  return result;
}

CheckResult check_mfu(const Arguments& arguments, const Job& job) {
  refuse_idle(arguments, "--mfu", {"mfu", "peak", "device", "precision", "gpus"});
  ClaimedUtilization claim{parse_share("--mfu", arguments.text("mfu"), kAnyShare), {}};
  if (arguments.has("peak")) claim.assumed_peak = parse_flops_per_second(arguments.text("peak"));
  arguments.text("device");  // required
  const DeviceSpec* device = job.device();
  if (device == nullptr) {
    throw UsageError("--mfu needs a --device with a data sheet: of the catalog, or a device file");
  }
  return {check_utilization(claim, *device, job.precision(), job.devices_known()), {}};
}

CheckResult check_table(MeasuredTable table, const Job& job) {
  if (!table.ranks.empty()) return {check_stragglers(table.ranks), {}};
  return {
      check_scaling(std::move(table.points), job.scaling_job()),
      {"the prediction and the arithmetic peak: a table is held against itself; --measured with "
       "--gpus holds one of its rates against both"}};
}

CheckResult check_file(const Arguments& arguments, const Job& job) {
  const std::string file = arguments.text("FILE");
  const std::string text = read_text_file(file);
  if (is_measured_table(text)) return check_table(read_measured_table(text, file), job);
  return check_collective_log(arguments, text, file);
}

ExitCode run(const Arguments& arguments) {
  const OutputFormat format = read_format(arguments);
  const bool file = arguments.has("FILE");
  const bool measured = arguments.has("measured");
  const bool mfu = arguments.has("mfu");
  if (int{file} + int{measured} + int{mfu} != 1) {
    throw UsageError("give one of FILE, --measured and --mfu");
  }
  const Job job(arguments);
  const CheckResult result = file       ? check_file(arguments, job)
                             : measured ? check_measured(arguments, job)
                                        : check_mfu(arguments, job);
  if (format == OutputFormat::kJson) {
    write_result(arguments, to_json_text(to_json(result)));
  } else if (format == OutputFormat::kText) {
    write_result(arguments, check_screen(result));
  } else {
    Table table({"what", "measured", "expected", "unit", "verdict", "cause"});
    for (const Finding& f : result.findings) {
      table.add_row({f.what, significant(f.measured, 6), significant(f.expected, 6), f.unit,
                     std::string(to_string(f.verdict)), f.cause});
    }
    write_result(arguments, table.to_string(table_format(format)));
  }
  return result.verdict() == Verdict::kPlausible ? ExitCode::kOk : ExitCode::kCheck;
}

}  // namespace

void register_check(CommandList& commands) {
  commands.add({.name = "check",
                .summary = "a measured number against physics and prediction",
                .example = "paceline check --mfu 104% --device h100-sxm --precision bf16",
                .flags = flags(),
                .positionals = {"FILE"},
                .run = run});
}

}  // namespace paceline
