#include "answers/compare/sweep_estimator.h"

#include <algorithm>
#include <cmath>

#include "answers/compare/closed_form.h"
#include "core/error.h"
#include "model/collective/channel_buffers.h"
#include "model/collective/collective_model.h"
#include "model/hardware/cluster_request.h"
#include "model/hardware/copy_model.h"
#include "simulator/job/compute_profile.h"

namespace paceline {
namespace {

constexpr double kAgreement = 0.01;  // between closed form and simulation

// Keys of --set that say how the network is driven.
bool is_network_option(const std::string& key) {
  return key == "transport" || key == "connections";
}

std::string option_or(const Experiment& e, const std::string& key, std::string fallback) {
  const auto found = e.options.find(key);
  return found == e.options.end() ? fallback : found->second;
}

// The experiment without its cluster, as text: points of one family agree in it.
std::string family_key(const Experiment& e) {
  std::string key = e.model + "|" + std::to_string(e.batch) + "|" +
                    std::to_string(e.seq.value_or(0)) + "|" + std::string(to_string(e.precision)) +
                    "|" + e.device + "|" + std::to_string(e.threads) + "|" + e.framework + "|" +
                    e.strategy + "|" + std::to_string(e.grad_accumulation);
  for (const auto& [name, value] : e.options) {
    if (!is_network_option(name)) key += "|" + name + "=" + value;
  }
  return key;
}

// One device of the job, by itself.
Experiment alone(Experiment e) {
  e.devices = 1;
  e.devices_per_machine.reset();
  e.intra.reset();
  e.net.reset();
  e.cluster.reset();
  e.topo.reset();
  std::erase_if(e.options, [](const auto& option) { return is_network_option(option.first); });
  return e;
}

// What `resolved` says of everything else, on the cluster of `point`.
Experiment with_cluster_of(const Experiment& point, Experiment resolved) {
  resolved.devices = point.devices;
  resolved.devices_per_machine = point.devices_per_machine;
  resolved.intra = point.intra;
  resolved.net = point.net;
  resolved.cluster = point.cluster;
  resolved.topo = point.topo;
  for (const char* key : {"transport", "connections"}) {
    resolved.options.erase(key);
    const auto given = point.options.find(key);
    if (given != point.options.end()) resolved.options[key] = given->second;
  }
  return resolved;
}

std::int64_t per_machine(const Experiment& e) { return e.devices_per_machine.value_or(e.devices); }

}  // namespace

struct SweepEstimator::Shared {
  CollectiveModel collectives = CollectiveModel::shipped();
  StagingModel staging = CopyModel::shipped().staging();
};

struct SweepEstimator::Family {
  std::once_flag once;
  std::vector<std::size_t> members;  // points, in input order
  std::optional<Report> base;        // of one device
  MemoryUse memory;                  // of a device of the job, without buffers of channels
  Experiment resolved;               // of one member: every default spelled out
  StepParts step;
  std::vector<ReadyMessage> messages;
  std::optional<Contention> contention;
  ComputeSegment backward;  // all of one pass: what bounds it
  bool usable = false;

  // The recurrence under other conditions of the job; messages cost what `costs` say.
  ClosedForm under(const std::vector<const CollectiveCost*>& costs,
                   const JobConditions& conditions) const;
};

ClosedForm SweepEstimator::Family::under(const std::vector<const CollectiveCost*>& costs,
                                         const JobConditions& conditions) const {
  StepParts scaled = step;
  for (Seconds* part : {&scaled.begin, &scaled.forward, &scaled.backward, &scaled.update}) {
    *part *= conditions.computing;
  }
  std::vector<ReadyMessage> ready = messages;
  for (ReadyMessage& message : ready) message.ready *= conditions.computing;
  std::vector<Seconds> times;
  std::vector<double> slow_downs;
  for (const CollectiveCost* cost : costs) {
    times.push_back(conditions.communication * std::exp(conditions.messages * cost->sd) *
                    cost->time);
    if (!contention) continue;
    slow_downs.push_back(
        slow_down(*contention, contention->demand(*cost, conditions.contention), backward));
  }
  return closed_form(scaled, ready, times, slow_downs);
}

struct SweepEstimator::Network {
  std::mutex mutex;
  ClusterChoice choice;
  std::map<std::pair<int, int>, FabricGroup> fabrics;
  std::map<std::tuple<int, int, double>, CollectiveCost> costs;
};

SweepEstimator::SweepEstimator(const Predictor& predictor, const std::vector<Experiment>& points,
                               const std::vector<const TrainingDevice*>& devices)
    : predictor_(predictor),
      points_(points),
      devices_(devices),
      family_index_(points.size()),
      shared_(std::make_unique<Shared>()) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [entry, added] = index.emplace(family_key(points[i]), families_.size());
    if (added) families_.push_back(std::make_unique<Family>());
    family_index_[i] = entry->second;
    families_[entry->second]->members.push_back(i);
  }
}

SweepEstimator::~SweepEstimator() = default;

// Collectives over whole machines of a cluster that is described once and grown.
SweepEstimator::Network& SweepEstimator::network_of(const Experiment& e,
                                                    const TrainingDevice& device) {
  ClusterRequest request;
  request.device = device.spec() == nullptr ? "" : device.spec()->name;
  request.intra = e.intra;
  request.net = e.net;
  request.cluster = e.cluster;
  request.topo = e.topo;
  request.transport = option_or(e, "transport", "");
  request.connections = std::stoi(option_or(e, "connections", "0"));
  const bool from_flags = !e.cluster && !e.topo;
  if (from_flags) {
    request.gpus = static_cast<int>(e.devices);
    request.gpus_per_node = static_cast<int>(per_machine(e));
  }
  const std::string key = request.device + "|" + request.intra.value_or("") + "|" +
                          request.net.value_or("") + "|" + request.cluster.value_or("") + "|" +
                          request.topo.value_or("") + "|" + request.transport + "|" +
                          std::to_string(request.connections) + "|" +
                          std::to_string(from_flags ? per_machine(e) : 0);
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Network>& network = networks_[key];
  if (network == nullptr) {
    auto made = std::make_unique<Network>();
    made->choice = choose_cluster(request);
    network = std::move(made);
  }
  return *network;
}

std::optional<Report> SweepEstimator::closed(const Family& family, const Experiment& e,
                                             const TrainingDevice& device) {
  Network& network = network_of(e, device);
  const std::lock_guard lock(network.mutex);
  ClusterSpec& cluster = network.choice.cluster;
  const int inside = static_cast<int>(cluster.machine.device_count());
  const int devices = static_cast<int>(e.devices);
  if (devices < 2 || (devices > inside && devices % inside != 0)) return std::nullopt;
  const CollectiveGroup group{std::max(1, devices / inside), std::min(devices, inside)};
  if (group.machines > 1 && !cluster.network) return std::nullopt;
  cluster.machines = std::max(cluster.machines, group.machines);
  const std::pair key{group.machines, group.per_machine};
  auto fabric = network.fabrics.find(key);
  if (fabric == network.fabrics.end()) {
    fabric = network.fabrics
                 .emplace(key, fabric_group(cluster, group, shared_->staging,
                                            shared_->collectives.tuning(),
                                            network.choice.generation, network.choice.connections))
                 .first;
  }
  std::vector<const CollectiveCost*> costs;
  for (const ReadyMessage& message : family.messages) {
    const std::tuple cost_key{group.machines, group.per_machine, message.bytes.si()};
    auto cost = network.costs.find(cost_key);
    if (cost == network.costs.end()) {
      CollectiveCall call;
      call.bytes = message.bytes;
      call.group = group;
      cost = network.costs.emplace(cost_key, shared_->collectives.cost(call, fabric->second)).first;
    }
    costs.push_back(&cost->second);
  }
  const ClosedForm form = family.under(costs, {});

  Report r = *family.base;
  const Estimate single = r.iteration_time_s;
  const double time = form.iteration.si();
  JobKnowledge known = predictor_.job_knowledge(e.devices);
  known.computing_low = std::log(single.p05 / single.median);
  known.computing_high = std::log(single.p95 / single.median);
  r.interval_parts = interval_parts(known, time, [&](const JobConditions& conditions) {
    return family.under(costs, conditions).iteration.si();
  });
  r.experiment = e;
  r.memory = family.memory;
  if (device.kind() == DeviceKind::kGpu) {
    const Bytes channels =
        channel_buffers(cluster, fabric->second, shared_->staging, shared_->collectives.tuning());
    r.memory.communication += std::llround(channels.si());
  }
  if (!r.memory.fits() && family.base->memory.fits()) {
    r.warnings.emplace_back("does not fit in the memory of the device");
  }
  r.iteration_time_s = with_interval(time, r.interval_parts);
  const double samples = static_cast<double>(e.samples_per_iteration());
  const auto rate = [&](double amount) {
    return Estimate{amount / time, amount / r.iteration_time_s.p95,
                    amount / r.iteration_time_s.p05};
  };
  if (r.throughput_tokens_per_s) {
    const double tokens =
        r.throughput_tokens_per_s->median * single.median * static_cast<double>(e.devices);
    r.throughput_tokens_per_s = rate(tokens);
  }
  r.throughput_samples_per_s = rate(samples);
  r.scaling_efficiency = single.median / time;
  r.model_flops_utilization *= single.median / time;
  r.breakdown.exposed_communication = form.exposed;
  r.communication.total = form.communication;
  r.communication.exposed = form.exposed;
  r.communication.slowed = form.slowed;
  r.communication.bytes_per_device = 0;
  for (const ReadyMessage& message : family.messages) {
    r.communication.bytes_per_device +=
        std::llround(bus_factor(CollectiveOp::kAllReduce, devices) * message.bytes.si());
  }
  const CollectiveCost* largest = nullptr;
  for (const CollectiveCost* cost : costs) {
    if (largest == nullptr || cost->time > largest->time) largest = cost;
  }
  if (largest != nullptr && form.exposed > 0.5 * form.iteration) {
    r.bottleneck.resource = largest->bottleneck;
    r.bottleneck.share = form.exposed / form.iteration;
    r.bottleneck.text = "the devices wait for communication";
  }
  r.warnings.emplace_back("in closed form: agreed with the simulation to 1 % at two clusters");
  return r;
}

void SweepEstimator::prepare(Family& family) {
  const auto smaller = [&](std::size_t a, std::size_t b) {
    return points_[a].devices < points_[b].devices;
  };
  std::vector<std::size_t> jobs;
  for (const std::size_t member : family.members) {
    if (points_[member].devices > 1) jobs.push_back(member);
  }
  if (jobs.size() < 8) return;  // no fewer simulations than points
  const std::size_t first = *std::ranges::min_element(jobs, smaller);
  const std::size_t last = *std::ranges::max_element(jobs, smaller);
  const Experiment& e = points_[first];
  if (e.calibrate || e.profile) return;
  const TrainingDevice& device = *devices_[first];
  const Prediction job = predictor_.predict(e, device);
  family.resolved = job.report.experiment;
  const Prediction single = predictor_.predict(alone(family.resolved), device);
  const ComputeProfile profile = compute_profile(single.plan);
  family.base = single.report;
  family.contention = predictor_.contention(family.resolved, device);
  for (const ComputeSegment& segment : profile.backward) family.backward += segment;
  family.step = {profile.begin, profile.forward_time(), profile.backward_time(), profile.update,
                 static_cast<double>(profile.micro_batches)};
  // Gradients in the order in which they are final.
  const std::vector<Seconds> ready = profile.ready_times();
  std::vector<std::size_t> order(ready.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ready[i]; });
  std::vector<Seconds> times;
  std::vector<Bytes> sizes;
  for (const std::size_t i : order) {
    times.push_back(ready[i]);
    sizes.push_back(profile.gradients[i].bytes);
  }
  std::vector<Bytes> messages;
  for (const Message& message : job.report.communication.messages) {
    messages.emplace_back(static_cast<double>(message.bytes));
  }
  family.messages = ready_messages(messages, times, sizes);

  const auto in_closed_form = [&](std::size_t point) {
    return closed(family, with_cluster_of(points_[point], family.resolved), *devices_[point]);
  };
  const auto agrees = [&](std::size_t point, double simulated) {
    const std::optional<Report> report = in_closed_form(point);
    return report && std::abs(report->iteration_time_s.median / simulated - 1) < kAgreement;
  };
  const std::optional<Report> channels_alone = in_closed_form(first);
  if (!channels_alone) return;
  family.memory = job.report.memory;
  family.memory.communication -= channels_alone->memory.communication;
  const Report widest = predictor_.predict(points_[last], *devices_[last]).report;
  // Shares of the state depend on the number of devices.
  const std::optional<Report> at_last = in_closed_form(last);
  const bool same_memory = at_last && at_last->memory.peak() == widest.memory.peak();
  family.usable = same_memory && agrees(first, job.report.iteration_time_s.median) &&
                  agrees(last, widest.iteration_time_s.median);
}

std::optional<Report> SweepEstimator::estimate(std::size_t point) {
  Family& family = *families_[family_index_[point]];
  std::call_once(family.once, [&] { prepare(family); });
  if (!family.usable) return std::nullopt;
  return closed(family, with_cluster_of(points_[point], family.resolved), *devices_[point]);
}

}  // namespace paceline
