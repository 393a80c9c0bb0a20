#include "simulator/strategies/parts/sharded.h"

#include <algorithm>

namespace paceline {
namespace {

constexpr const char* kStream = "communication";
constexpr std::size_t kGathersInFlight = 2;  // limit_all_gathers of FSDP

// Layers that are gathered and scattered together.
struct Unit {
  std::vector<std::uint32_t> gradients;
  Bytes bytes;
  Bytes summed;  // its gradients as they are sent
};

Bytes summed_bytes(const GradientTensor& gradient, const Sharding& sharding) {
  if (sharding.reduced_element.si() == 0) return gradient.bytes;
  return static_cast<double>(gradient.elements) * sharding.reduced_element;
}

std::string module_of(const std::string& layer) {
  const std::size_t dot = layer.rfind('.');
  return dot == std::string::npos ? layer : layer.substr(0, dot);
}

class Units {
 public:
  Units(const ComputeProfile& profile, const Sharding& sharding) {
    of_layer_.assign(profile.layers.size(), 0);
    std::string open;
    for (std::uint32_t i = 0; i < profile.gradients.size(); ++i) {
      const std::uint32_t layer = profile.gradients[i].layer;
      const std::string& name = profile.layers[layer];
      const std::string key = sharding.wrap == "layer" ? name : module_of(name);
      if (units_.empty() || key != open) units_.emplace_back();
      open = key;
      units_.back().gradients.push_back(i);
      units_.back().bytes += profile.gradients[i].bytes;
      units_.back().summed += summed_bytes(profile.gradients[i], sharding);
      of_layer_[layer] = units_.size() - 1;
    }
  }
  const std::vector<Unit>& all() const { return units_; }
  std::size_t of_layer(std::uint32_t layer) const { return of_layer_.at(layer); }

 private:
  std::vector<Unit> units_;
  std::vector<std::size_t> of_layer_;
};

class ShardedRun : public Aggregation {
 public:
  ShardedRun(JobBuilder& job, const Sharding& sharding)
      : job_(job), sharding_(sharding), units_(job.spec().profile, sharding) {
    missing_.assign(units_.all().size(), 0);
    weighted_.assign(job.spec().profile.layers.size(), false);
    for (const GradientTensor& gradient : job.gradients()) weighted_[gradient.layer] = true;
  }

  void begin_iteration() override { begin_pass(); }

  void before_forward(std::size_t segment, std::int64_t) override {
    if (segment == 0) begin_pass();
    enter(job_.spec().profile.forward[segment].layer, false);
  }
  void before_backward(std::size_t segment, std::int64_t) override {
    if (segment == 0) {
      begin_pass();
      backward_ = true;
    }
    enter(job_.spec().profile.backward[segment].layer, true);
  }

  void gradient_ready(std::uint32_t gradient) override {
    const std::size_t unit = units_.of_layer(job_.gradients()[gradient].layer);
    if (++missing_[unit] < units_.all()[unit].gradients.size()) return;
    missing_[unit] = 0;
    waiting_ += units_.all()[unit].summed;
    if (!sharding_.gradients || waiting_ < sharding_.bucket) return;
    scatter();
  }
  void end_backward() override {
    if (waiting_.si() > 0) scatter();
  }

  void update() override {
    const Bytes all = job_.spec().profile.gradient_bytes();
    const Bytes shard = all / shard_count(job_.spec(), sharding_);
    TaskId done =
        sharding_.offload ? update_on_processor(shard) : job_.update(0, shard, scattered_);
    scattered_.clear();
    if (!sharding_.weights && job_.spec().ranks() > 1) {
      done = job_.collective(0, CollectiveOp::kAllGather, all, {&done, 1}, kStream);
    }
    job_.block(0, done);
  }

 private:
  CollectiveGroup group() const {
    const CollectiveGroup& all = job_.spec().group;
    return sharding_.hybrid ? CollectiveGroup{1, all.per_machine} : all;
  }

  void begin_pass() {
    gathered_.clear();
    entered_.clear();
    backward_ = false;
    current_ = SIZE_MAX;
  }

  // The device comes to a layer: its unit must be whole.
  void enter(std::uint32_t layer, bool backward) {
    if (!sharding_.weights || !weighted_[layer]) return;
    const std::size_t unit = units_.of_layer(layer);
    if (unit == current_) return;
    current_ = unit;
    entered_.push_back(job_.latest(0));
    if (backward && sharding_.keep_after_forward) return;
    gather(unit);
    job_.block(0, gathered_.at(unit));
    const std::size_t next = backward ? unit - 1 : unit + 1;
    if (sharding_.prefetch && next < units_.all().size()) gather(next);
  }

  void gather(std::size_t unit) {
    if (gathered_.contains(unit)) return;
    // Memory for so many whole units: the device must have left an earlier one.
    std::vector<TaskId> after;
    const std::size_t held = sharding_.prefetch ? kGathersInFlight - 1 : 0;
    if (entered_.size() > held) {
      const TaskId left = entered_[entered_.size() - 1 - held];
      if (left != kNoTask) after.push_back(left);
    }
    gathered_[unit] = job_.collective_over(group(), 0, CollectiveOp::kAllGather,
                                           units_.all()[unit].bytes, after, kStream);
  }

  void scatter() {
    TaskId task = job_.latest(0);
    const Bytes bytes = waiting_;
    waiting_ = Bytes();
    if (!sharding_.gradients) {
      task = job_.collective(0, CollectiveOp::kAllReduce, bytes, {&task, 1}, kStream);
    } else {
      task = job_.collective_over(group(), 0, CollectiveOp::kReduceScatter, bytes, {&task, 1},
                                  kStream);
    }
    const CollectiveGroup between{job_.spec().group.machines, 1};
    if (sharding_.hybrid && between.machines > 1) {
      // The shards of a machine share its cards: as long as one message of all of them.
      const int local = job_.spec().group.per_machine;
      const CollectiveCost cost = job_.message_cost(CollectiveOp::kAllReduce, bytes, between);
      const double sent = bus_factor(CollectiveOp::kAllReduce, between.machines) / local;
      task = job_.message(0, cost, bytes / local, sent * bytes, {&task, 1}, kStream);
    }
    scattered_.push_back(task);
    if (!sharding_.overlap) job_.block(0, task);
  }

  TaskId update_on_processor(Bytes shard) {
    const TaskId down =
        job_.copy(job_.fabric().to_host(0), shard, -1, scattered_, job_.queue(0, "d2h"));
    const TaskId updated =
        job_.processor_add(static_cast<double>(job_.spec().group.per_machine) * shard,
                           kProcessorThreads, {&down, 1}, job_.queue(-1, "optimizer"));
    return job_.copy(job_.fabric().from_host(0), shard, -1, {&updated, 1}, job_.queue(0, "h2d"));
  }
  static constexpr int kProcessorThreads = 1024;  // memory, not threads, limits the update

  JobBuilder& job_;
  Sharding sharding_;
  Units units_;
  std::vector<bool> weighted_;
  std::vector<std::size_t> missing_;
  Bytes waiting_;
  std::map<std::size_t, TaskId> gathered_;
  std::vector<TaskId> entered_;  // what preceded the device's arrival at each unit
  std::size_t current_ = SIZE_MAX;
  bool backward_ = false;
  std::vector<TaskId> scattered_;
};

}  // namespace

int shard_count(const JobSpec& job, const Sharding& sharding) {
  return sharding.hybrid ? job.group.per_machine : job.ranks();
}

std::unique_ptr<Aggregation> start_sharded(JobBuilder& job, const Sharding& sharding) {
  return std::make_unique<ShardedRun>(job, sharding);
}

Bytes sharded_bytes_sent(const JobSpec& job, const Sharding& sharding) {
  if (job.ranks() < 2) return {};
  const int shards = shard_count(job, sharding);
  const double once = shards > 1 ? bus_factor(CollectiveOp::kAllGather, shards) : 0;
  double summed = sharding.gradients ? once : bus_factor(CollectiveOp::kAllReduce, job.ranks());
  if (sharding.hybrid && job.group.machines > 1) {
    summed += bus_factor(CollectiveOp::kAllReduce, job.group.machines) / job.group.per_machine;
  }
  const double gathered = sharding.weights && !sharding.keep_after_forward ? 2 * once : once;
  Bytes gradients;
  for (const GradientTensor& gradient : job.profile.gradients) {
    gradients += summed_bytes(gradient, sharding);
  }
  return summed * gradients + gathered * job.profile.gradient_bytes();
}

Bytes gathered_bytes(const JobSpec& job, const Sharding& sharding) {
  if (!sharding.weights) return {};
  const Units units(job.profile, sharding);
  std::vector<Bytes> sizes;
  Bytes cast;
  for (const Unit& unit : units.all()) {
    sizes.push_back(unit.bytes);
    if (unit.summed != unit.bytes) cast = std::max(cast, unit.summed);
  }
  std::ranges::sort(sizes, std::greater{});
  if (sharding.keep_after_forward) return cast + job.profile.gradient_bytes();
  Bytes most = cast;
  for (std::size_t i = 0; i < std::min(kGathersInFlight, sizes.size()); ++i) most += sizes[i];
  return most;
}

}  // namespace paceline
