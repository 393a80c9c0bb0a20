#include "simulator/report/job_predictor.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/error.h"
#include "core/names.h"
#include "core/units_text.h"
#include "model/hardware/foreign_link.h"
#include "simulator/job/profile_file.h"
#include "simulator/report/accumulation_advice.h"
#include "simulator/report/job_cluster.h"
#include "simulator/report/job_report_parts.h"
#include "simulator/report/report_parts.h"
#include "simulator/report/setting.h"
#include "simulator/strategies/parts/constants.h"
#include "simulator/strategies/parts/strategy_memory.h"

namespace paceline {
namespace {

constexpr const char* kSharedCores = "shared_cores";
constexpr const char* kContention = "contention";

std::optional<SharedCores> shared_cores_of(const Experiment& e, const JobDevice& device) {
  const int cores = job_count(e, kSharedCores, "the job");
  if (cores == 0) return std::nullopt;
  if (!device.processor || e.devices < 2) {
    throw UsageError(
        "--set shared_cores has no effect: it is for several workers that are CPUs of one host");
  }
  if (e.threads > cores) {
    throw UsageError("--set shared_cores=" + std::to_string(cores) + ": a worker has " +
                     std::to_string(e.threads) + " threads");
  }
  return SharedCores{cores, strategy_constant("tcp.work_per_byte")};
}

// A cluster file may describe one machine of several.
void grow(ClusterSpec& cluster, int devices) {
  const int per_machine = static_cast<int>(cluster.machine.device_count());
  if (devices <= cluster.device_count() || !cluster.network || devices % per_machine != 0) return;
  cluster.machines = devices / per_machine;
}

// That there are no such links comes first: of what cannot be, the rest is said for nothing.
void add_cluster_warnings(const ClusterSpec& cluster, const DeviceSpec* device,
                          std::vector<std::string>& warnings) {
  const auto foreign = device != nullptr ? foreign_link(*device, cluster) : std::nullopt;
  for (const std::string& warning : cluster.warnings) {
    warnings.insert(warning == foreign ? warnings.begin() : warnings.end(), warning);
  }
}

}  // namespace

struct JobPredictor::Cluster {
  ClusterChoice choice;
  std::unique_ptr<Communicator> communicator;
};

struct JobPredictor::Job {
  JobSpec spec;
  std::unique_ptr<const Strategy> strategy;
  StrategyOptions options;
  Cluster* cluster;
};

bool JobPredictor::concerns(const Experiment& e) {
  return e.devices > 1 || normalized_name(e.strategy) != "none" || e.calibrate || e.profile;
}

std::string JobPredictor::strategy_name(const std::string& name) const {
  strategies_.make(name);
  return strategies_.find(name)->name;
}

std::vector<StrategyOption> JobPredictor::settings(const Experiment& e) const {
  std::vector<StrategyOption> out = job_options(e.threads);
  for (StrategyOption& option : all_options(*strategies_.make(e.strategy))) {
    out.push_back(std::move(option));
  }
  return out;
}

std::vector<std::string> JobPredictor::option_names(const Experiment& e) const {
  std::vector<std::string> names;
  for (const StrategyOption& option : settings(e)) names.push_back(option.name);
  return names;
}

std::map<std::string, std::string> JobPredictor::settings_at_16_bits(const Experiment& e) const {
  return strategies_.make(e.strategy)->settings_at_16_bits();
}

std::vector<std::string> JobPredictor::strategies_with(const std::string& option) const {
  std::vector<std::string> out;
  for (const auto& entry : strategies_.entries()) {
    const std::vector<StrategyOption> options = all_options(*entry.make());
    if (std::ranges::find(options, option, &StrategyOption::name) != options.end()) {
      out.push_back(entry.name);
    }
  }
  return out;
}

StrategyOptions JobPredictor::options(const Experiment& e) const {
  const std::unique_ptr<const Strategy> strategy = strategies_.make(e.strategy);
  StrategyOptions options(e.strategy, all_options(*strategy), e.options);
  if (options.was_set("sync") && e.grad_accumulation == 1) {
    throw UsageError("--set sync has no effect without --grad-accum: there is one micro-batch");
  }
  return options;
}

void JobPredictor::read_clusters() const {
  const std::lock_guard lock(mutex_);
  if (shared_ == nullptr) shared_ = std::make_unique<const Shared>();
}

JobPredictor::Cluster& JobPredictor::cluster(const Experiment& e, const JobDevice& device) const {
  const ClusterRequest request = cluster_request(e, device.spec);
  // A file's cluster grows to the devices of the job.
  const std::string key = to_text(request) + "|" + std::to_string(e.devices);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Cluster>& known = clusters_[key];
  if (known == nullptr) {
    if (shared_ == nullptr) shared_ = std::make_unique<const Shared>();
    auto made = std::make_shared<Cluster>();
    made->choice = choose_cluster(request, shared_->catalogs);
    grow(made->choice.cluster, static_cast<int>(e.devices));
    const bool networked = made->choice.cluster.network.has_value();
    for (const char* name : {"transport", "connections"}) {
      if (networked || !e.options.contains(name)) continue;
      throw UsageError(std::string("--set ") + name + " has no effect: the job has no network");
    }
    made->communicator = std::make_unique<Communicator>(
        shared_->models, made->choice.cluster, made->choice.generation, made->choice.connections);
    known = std::move(made);
  }
  return *known;
}

JobPredictor::Job JobPredictor::job(const Experiment& e, const IterationPlan& plan,
                                    const JobDevice& device) const {
  Job job{{}, strategies_.make(e.strategy), options(e), &cluster(e, device)};
  JobSpec& spec = job.spec;
  spec.cluster = job.cluster->choice.cluster;
  spec.group = group_of(spec.cluster, static_cast<int>(e.devices));
  spec.profile = compute_profile(plan);
  if (e.profile) {
    const Seconds update = spec.profile.update;
    spec.profile = read_profile(*e.profile);
    spec.profile.update = update;
  }
  spec.profile.micro_batches = 1;
  if (job.options.was_set("sync_time")) spec.profile.fold_update();
  if (e.calibrate) {
    const bool whole = e.global_batch && device.whole_batch != nullptr;
    const ComputeProfile reference = whole ? compute_profile(*device.whole_batch) : spec.profile;
    const double samples =
        static_cast<double>(e.batch * (e.global_batch ? e.devices : std::int64_t{1}));
    ComputeProfile one = reference;
    one.micro_batches = 1;
    spec.profile = spec.profile.scaled(stated_time(*e.calibrate, samples) / one.iteration_time());
  }
  spec.profile.micro_batches = e.grad_accumulation;
  spec.costs = device.costs;
  spec.context = device.context;
  spec.processor_rate = processor_rate_;
  spec.on_processors = device.processor;
  spec.shared_cores = shared_cores_of(e, device);
  spec.priors = priors_;
  spec.contention = contention(e, device);
  return job;
}

StrategyMemory JobPredictor::memory(const Experiment& e, const IterationPlan& plan,
                                    const JobDevice& device) const {
  const Job job = this->job(e, plan, device);
  StrategyMemory out = strategy_memory(job.spec, *job.strategy, job.options);
  if (e.devices < 2 || device.processor) return out;
  Communicator& communicator = *job.cluster->communicator;
  for (const NcclUse& use : nccl_groups(job.spec, *job.strategy, job.options, communicator)) {
    add_library(communicator.buffers(communicator.fabric(use.group), use.in_switch), out);
  }
  return out;
}

// What was set is compared with what was not.
void JobPredictor::check_contention(const Experiment& e, const JobDevice& device, const Job& job,
                                    Seconds time) const {
  if (!e.options.contains(kContention)) return;
  Experiment on = e;
  on.options.erase(kContention);
  JobSpec other = job.spec;
  other.contention = job.spec.contention ? std::nullopt : contention(on, device);
  const Seconds otherwise =
      steady_time(other, *job.strategy, job.options, *job.cluster->communicator);
  constexpr double kSame = 1e-9;
  if (std::abs(time / otherwise - 1) > kSame) return;
  throw UsageError(
      "--set contention has no effect: no collective of this job runs on the devices beside "
      "kernels");
}

void JobPredictor::apply(const Experiment& e, const IterationPlan& plan, const JobDevice& device,
                         Report& report) const {
  const Job job = this->job(e, plan, device);
  const JobResult result =
      simulate_job(job.spec, *job.strategy, job.options, *job.cluster->communicator);
  check_contention(e, device, job, result.iteration_time);
  const double samples = static_cast<double>(e.samples_per_iteration());
  const double tokens = report.throughput_tokens_per_s
                            ? report.throughput_tokens_per_s->median *
                                  report.iteration_time_s.median * static_cast<double>(e.devices)
                            : 0;
  const double utilization = report.model_flops_utilization * report.iteration_time_s.median;
  const Seconds alone = job.spec.profile.iteration_time();
  if (e.calibrate) {
    // First: it decides what was predicted.
    if (auto beyond = beyond_peak(report, alone)) {
      report.warnings.insert(report.warnings.begin(), std::move(*beyond));
    }
  }
  scale_reasons(plan, phase_scale(e, plan, result.breakdown, result.updating), report);
  const AggregationKernels kernels = aggregation_kernels(job.spec, job.options, result);
  name_bottleneck(result, kernels, report.bottleneck);
  report.experiment.devices_per_machine = job.spec.group.per_machine;
  report.flops_per_iteration = static_cast<double>(e.devices) * report.flops_per_iteration;
  report.least_flops_per_iteration =
      static_cast<double>(e.devices) * report.least_flops_per_iteration;
  const double time = result.iteration_time.si();
  report.interval_parts =
      interval_parts(knowledge(e, plan, device, report.iteration_time_s, job.options), time,
                     [&](const JobConditions& conditions) {
                       if (!result.conditions_read.may_decide(conditions)) return time;
                       return steady_time(under(job.spec, conditions), *job.strategy, job.options,
                                          *job.cluster->communicator)
                           .si();
                     });
  report.iteration_time_s = with_interval(time, report.interval_parts);
  report.throughput_samples_per_s = rate_of(samples, report.iteration_time_s);
  if (tokens > 0) report.throughput_tokens_per_s = rate_of(tokens, report.iteration_time_s);
  report.scaling_efficiency = alone / result.iteration_time;
  report.model_flops_utilization = utilization / result.iteration_time.si();
  report.breakdown = result.breakdown;
  report.phases = {result.breakdown.forward,
                   result.breakdown.backward + result.breakdown.exposed_communication,
                   result.breakdown.optimizer};
  report.communication = result.communication;
  add_waiting(result, kernels, report.origins);
  const Seconds computed = result.breakdown.forward + result.breakdown.backward;
  const Seconds planned = static_cast<double>(e.grad_accumulation) *
                          (job.spec.profile.forward_time() + job.spec.profile.backward_time());
  if (result.conditions_read.contention)
    report.communication.slowed = std::max(Seconds(), computed - planned);
  if (e.profile) {
    for (std::string& warning : profile_warnings(e, job.spec.profile, plan.gradients)) {
      report.warnings.push_back(std::move(warning));
    }
  }
  for (const std::string& warning : result.warnings) report.warnings.push_back(warning);
  // After what it follows from: parts that nobody measured.
  if (const auto wide =
          wide_interval(report.iteration_time_s, report.interval_parts, device.narrowing)) {
    report.warnings.push_back(*wide);
  }
  for (std::string& remark : job.strategy->remarks(job.spec, job.options)) {
    report.warnings.push_back(std::move(remark));
  }
  if (const auto advice = accumulation_advice(job.spec, *job.strategy, job.options,
                                              *job.cluster->communicator, result.iteration_time)) {
    report.warnings.push_back(*advice);
  }
  if (const auto linear = more_than_linear(report, job.spec.profile)) {
    report.warnings.push_back(*linear);
  }
  if (e.devices > 1) add_cluster_warnings(job.spec.cluster, device.spec, report.warnings);
}

JobResult JobPredictor::without_messages(const Experiment& e, const IterationPlan& plan,
                                         const JobDevice& device) const {
  constexpr double kNoTime = 1e-9;  // of the time that they take
  Job job = this->job(e, plan, device);
  job.spec.contention.reset();
  JobConditions conditions;
  conditions.communication = kNoTime;
  return simulate_job(under(job.spec, conditions), *job.strategy, job.options,
                      *job.cluster->communicator);
}

Timeline JobPredictor::timeline(const Experiment& e, const IterationPlan& plan,
                                const JobDevice& device, int iterations) const {
  const Job job = this->job(e, plan, device);
  return job_timeline(job.spec, *job.strategy, job.options, *job.cluster->communicator, iterations);
}

}  // namespace paceline
