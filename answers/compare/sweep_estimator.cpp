#include "answers/compare/sweep_estimator.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <sstream>

#include "answers/compare/message_series.h"
#include "answers/compare/one_machine_jobs.h"
#include "core/error.h"
#include "simulator/job/compute_profile.h"
#include "simulator/report/job_cluster.h"
#include "simulator/strategies/parts/strategy_memory.h"

namespace paceline {
namespace {

constexpr double kAgreement = 0.01;         // between closed form and simulation
constexpr std::size_t kLatest = 16;         // works of devices that are kept
constexpr std::size_t kFewestInFamily = 8;  // below, closed forms save no simulations
constexpr const char* kOfNetwork[] = {"transport", "connections"};  // keys of --set

// The experiment without its cluster, as text: points of one family agree in it. One device by
// itself is described in other words than one of several.
std::string family_key(const Experiment& e) {
  std::string key;
  const auto part = [&key](std::string_view text) { key.append(text).append(1, '|'); };
  const auto number = [&part](auto value) { part(std::to_string(value)); };
  part(e.strategy.empty() && e.devices == 1 ? "none" : e.strategy);
  part(e.model);
  number(e.batch);
  number(e.seq.value_or(0));
  part(to_string(e.precision));
  part(e.device);
  part(e.device_given ? *e.device_given : std::string_view());
  number(e.threads);
  part(e.framework);
  part(e.optimizer);
  number(e.grad_accumulation);
  number(e.seed);
  number(e.draws);
  part(e.calibrate ? *e.calibrate : std::string_view());
  part(e.profile ? *e.profile : std::string_view());
  part(e.global_batch ? "global" : "");
  part(e.devices > 1 ? "job" : "device");
  for (const auto& [name, value] : e.options) {
    if (std::ranges::find(kOfNetwork, name) != std::end(kOfNetwork)) continue;
    key.append(name).append(1, '=');
    part(value);
  }
  return key;
}

// What `resolved` says of everything else, on the cluster of `point`.
Experiment with_cluster_of(const Experiment& point, Experiment resolved) {
  resolved.devices = point.devices;
  resolved.devices_per_machine = point.devices_per_machine;
  resolved.intra = point.intra;
  resolved.net = point.net;
  resolved.cluster = point.cluster;
  resolved.topo = point.topo;
  for (const char* key : kOfNetwork) {
    resolved.options.erase(key);
    const auto given = point.options.find(key);
    if (given != point.options.end()) resolved.options[key] = given->second;
  }
  return resolved;
}

}  // namespace

struct SweepEstimator::Work {
  std::once_flag once;
  std::unique_ptr<const DeviceWork> work;
};

struct SweepEstimator::Largest {
  std::once_flag once;
  std::int64_t batch = 0;
};

struct SweepEstimator::Family {
  std::once_flag once;
  std::vector<std::size_t> members;   // points, in input order
  std::atomic<std::size_t> left = 0;  // of them, not yet predicted
  Experiment resolved;                // of one member: every default spelled out
  std::shared_ptr<Work> work;
  std::string any_batch;                        // key of what the largest batch depends on
  std::optional<MessageSeries> series;          // where the closed form agrees
  StrategyMemory kept;                          // of the smallest job
  std::unique_ptr<OneMachineJobs> one_machine;  // where members differ in the network
};

SweepEstimator::SweepEstimator(const Predictor& predictor, const std::vector<Experiment>& points,
                               const std::vector<const TrainingDevice*>& devices,
                               const Options& options)
    : predictor_(predictor),
      points_(points),
      devices_(devices),
      options_(options),
      family_index_(points.size()) {
  if (options.closed_forms) networks_ = std::make_unique<SweepNetworks>();
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (devices[i] == nullptr) continue;
    const auto [entry, added] = index.emplace(family_key(points[i]), families_.size());
    if (added) families_.push_back(std::make_unique<Family>());
    family_index_[i] = entry->second;
    families_[entry->second]->members.push_back(i);
  }
  for (const auto& [key, family] : index) {
    const std::vector<std::size_t>& members = families_[family]->members;
    order_.insert(order_.end(), members.begin(), members.end());
    families_[family]->left = members.size();
  }
}

SweepEstimator::~SweepEstimator() = default;

// Held by the families that use it and while it is among the latest: a sweep of many batches must
// not keep the work of all of them.
std::shared_ptr<SweepEstimator::Work> SweepEstimator::work_of(const Experiment& resolved,
                                                              const TrainingDevice& device) {
  const std::string key = predictor_.work_key(resolved, device);
  std::shared_ptr<Work> work;
  {
    const std::lock_guard lock(mutex_);
    work = works_[key].lock();
    if (work == nullptr) {
      works_[key] = work = std::make_shared<Work>();
      latest_.push_back(work);
      if (latest_.size() > kLatest) latest_.erase(latest_.begin());
    }
  }
  std::call_once(work->once, [&] { work->work = predictor_.work(resolved, device); });
  return work;
}

std::optional<Report> SweepEstimator::closed(const Family& family, std::size_t point) {
  const TrainingDevice& device = *devices_[point];
  const Experiment e = with_cluster_of(points_[point], family.resolved);
  const bool processor = device.kind() == DeviceKind::kCpu;
  const std::optional<SweepCollectives> found =
      networks_->collectives(cluster_request(e, device.spec()), static_cast<int>(e.devices),
                             family.series->sizes(), processor ? "gloo" : "nccl");
  if (!found) return std::nullopt;
  StrategyMemory kept = family.kept;
  // Of a series all messages go over one group.
  if (kept.library_bytes > 0) {
    kept.library_bytes = kept.library_below = kept.library_above = 0;
    kept.library_source.clear();
    add_library(found->buffers, kept);
  }
  return family.series->report(predictor_.alone(e, *family.work->work, kept), found->costs,
                               predictor_.job_knowledge(e.devices), device.narrowing());
}

// The smallest job of the family and its largest on each network.
std::vector<std::size_t> SweepEstimator::points_to_hold_against(const Family& family) const {
  const auto smaller = [&](std::size_t a, std::size_t b) {
    return points_[a].devices < points_[b].devices;
  };
  std::vector<std::size_t> jobs;
  for (const std::size_t member : family.members) {
    if (points_[member].devices > 1) jobs.push_back(member);
  }
  if (jobs.size() < kFewestInFamily) return {};
  std::vector<std::size_t> out{*std::ranges::min_element(jobs, smaller)};
  std::map<std::string, std::size_t> largest;
  for (const std::size_t job : jobs) {
    std::size_t& point = largest.try_emplace(points_[job].net.value_or(""), job).first->second;
    if (smaller(point, job)) point = job;
  }
  for (const auto& [network, point] : largest) out.push_back(point);
  return out;
}

void SweepEstimator::find_closed_form(Family& family) {
  const std::vector<std::size_t> held = points_to_hold_against(family);
  const DeviceWork& work = *family.work->work;
  if (held.empty() || family.resolved.calibrate || family.resolved.profile || work.input) return;
  const Experiment smallest = with_cluster_of(points_[held.front()], family.resolved);
  family.series = message_series(predictor_.without_messages(smallest, work));
  if (!family.series) return;
  family.series->contention = predictor_.contention(smallest, *devices_[held.front()]);
  for (const ComputeSegment& segment : compute_profile(work.plan).backward) {
    family.series->backward += segment;
  }
  family.kept = predictor_.strategy_memory(smallest, work);
  for (const std::size_t point : held) {
    const Experiment e = with_cluster_of(points_[point], family.resolved);
    const Report simulated = predictor_.report(e, work, predictor_.strategy_memory(e, work));
    const std::optional<Report> report = closed(family, point);
    const bool agrees =
        report && report->memory.peak() == simulated.memory.peak() &&
        std::abs(report->iteration_time_s.median / simulated.iteration_time_s.median - 1) <
            kAgreement;
    if (agrees) continue;
    family.series.reset();
    return;
  }
}

void SweepEstimator::prepare(Family& family) {
  const std::size_t first = family.members.front();
  family.resolved = predictor_.resolve(points_[first], *devices_[first]);
  family.work = work_of(family.resolved, *devices_[first]);
  const bool several = std::ranges::any_of(family.members, [&](std::size_t member) {
    return points_[member].net != points_[first].net;
  });
  if (several) family.one_machine = std::make_unique<OneMachineJobs>();
  if (options_.largest_batch) {
    // Neither the batch nor what draws and accumulation do changes the answer.
    Experiment any = family.resolved;
    any.batch = any.grad_accumulation = any.devices = 1;
    any.draws = 0;
    any.seed = 0;
    family.any_batch = predictor_.work_key(any, *devices_[first]);
  }
  if (networks_ == nullptr) return;
  try {
    find_closed_form(family);
  } catch (const Error&) {
    family.series.reset();  // one of the clusters cannot be; its own point says why
  }
}

std::int64_t SweepEstimator::largest_batch(const Family& family, const StrategyMemory& kept) {
  std::ostringstream key;
  key << family.any_batch << kept.communication_bytes << "|" << kept.library_bytes << "|"
      << kept.casts_when_gathered << std::hexfloat;
  for (const double share : {kept.weights, kept.gradients, kept.optimizer_state}) {
    key << "|" << share;
  }
  Largest* found = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Largest>& known = largest_[key.str()];
    if (known == nullptr) known = std::make_unique<Largest>();
    found = known.get();
  }
  std::call_once(found->once,
                 [&] { found->batch = family.work->work->memory.largest_batch(kept).value_or(0); });
  return found->batch;
}

Report SweepEstimator::simulated(const Family& family, std::size_t point) {
  const auto simulate = [&](const Experiment& e) {
    const DeviceWork& work = *family.work->work;
    const StrategyMemory kept = predictor_.strategy_memory(e, work);
    Report report = predictor_.report(e, work, kept);
    if (options_.largest_batch) report.largest_batch = largest_batch(family, kept);
    return report;
  };
  const Experiment e = with_cluster_of(points_[point], family.resolved);
  return family.one_machine ? family.one_machine->report(e, simulate) : simulate(e);
}

SweepEstimator::Answer SweepEstimator::predict(std::size_t point) {
  Family& family = *families_[family_index_[point]];
  std::call_once(family.once, [&] { prepare(family); });
  std::optional<Report> report;
  if (family.series) report = closed(family, point);
  Answer answer;
  answer.simulated = !report;
  answer.report = report ? std::move(*report) : simulated(family, point);
  if (--family.left == 0) family.work = nullptr;
  return answer;
}

}  // namespace paceline
