// TensorFlow 1 (tf_cnn_benchmarks --variable_update=parameter_server): each variable lives in one
// place. Every device fetches it before its layer runs and sends its gradient back when that is
// final; the owner adds and updates. In one machine the owners are the processors, one device, or
// all devices in balance; across machines they are servers, each variable whole on one of them
// unless it is sharded, and every device fetches for itself.
#include <algorithm>

#include "core/units_text.h"
#include "simulator/strategies/parts/constants.h"
#include "simulator/strategies/parts/local_ranks.h"
#include "simulator/strategies/parts/owned_variables.h"
#include "simulator/strategies/parts/placement.h"
#include "simulator/strategies/parts/remote_servers.h"
#include "simulator/strategies/parts/strategy_memory.h"

namespace paceline {
namespace {

class OnServers : public OwnedVariables {
 public:
  OnServers(JobBuilder& job, const StrategyOptions& options)
      : OwnedVariables(job),
        servers_(job, options.count("servers"), options.on("colocated"),
                 BytesPerSecond(strategy_constant("tensorflow.rpc_rate"))),
        owners_(round_robin_owners(job.gradients().size(), servers_.count())),
        sharded_(options.on("sharding")),
        barrier_(options.on("barrier")) {}

  void aggregate(std::uint32_t gradient, Bytes bytes) override {
    const int shards = sharded_ ? servers_.count() : 1;
    Variable variable{gradient, {}};
    for (int shard = 0; shard < shards; ++shard) {
      variable.parts.push_back(
          updated_on(sharded_ ? shard : owners_[gradient], gradient, bytes / shards));
    }
    if (!barrier_) return fetch(variable);
    waiting_.push_back(std::move(variable));
  }
  void finish() override {
    std::vector<TaskId> updates;
    for (const Variable& variable : waiting_) {
      for (const Part& part : variable.parts) updates.push_back(part.updated);
    }
    const TaskId all = job_.join(updates);
    for (Variable& variable : waiting_) {
      for (Part& part : variable.parts) part.updated = all;
      fetch(variable);
    }
    waiting_.clear();
  }

 private:
  // What of a variable is on one server, new after `updated`.
  struct Part {
    int server;
    Bytes bytes;
    TaskId updated;
  };
  struct Variable {
    std::uint32_t gradient;
    std::vector<Part> parts;
  };

  Part updated_on(int server, std::uint32_t gradient, Bytes bytes) {
    std::vector<TaskId> there;
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      const TaskId after[] = {job_.ready(rank, gradient)};
      there.push_back(
          job_.copy(job_.fabric().to_host(rank) + servers_.up(server), bytes, rank, after));
    }
    // The gradients of all devices of all machines are added, then the variable is updated.
    const TaskId updated = job_.processor_add(static_cast<double>(job_.spec().ranks()) * bytes,
                                              kAllThreads, there, servers_.processor(server));
    return {server, bytes, updated};
  }
  void fetch(const Variable& variable) {
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      std::vector<TaskId> fetched;
      for (const Part& part : variable.parts) {
        fetched.push_back(job_.copy(servers_.down(part.server) + job_.fabric().from_host(rank),
                                    part.bytes, -1, {&part.updated, 1}));
      }
      job_.set_weights_ready(rank, variable.gradient, job_.join(fetched));
    }
  }

  RemoteServers servers_;
  std::vector<int> owners_;
  bool sharded_;
  bool barrier_;
  std::vector<Variable> waiting_;
};

std::vector<int> device_owners(const JobSpec& job, const StrategyOptions& options) {
  if (options.is("placement", "first")) return std::vector<int>(job.profile.gradients.size(), 0);
  return balanced_owners(job.profile.gradients, local_ranks(job), PlacementOrder::kAsCreated);
}

class ParameterServer : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    std::vector<StrategyOption> options = {
        {.name = "local_parameter_device",
         .kind = OptionKind::kChoice,
         .fallback = "gpu",
         .choices = {"gpu", "cpu"},
         .summary = "who holds the variables of a job inside one machine",
         .example = "cpu"},
        {.name = "placement",
         .kind = OptionKind::kChoice,
         .fallback = "balanced",
         .choices = {"balanced", "first"},
         .summary = "variables over the devices: least loaded first, or all on the first device",
         .example = "first",
         .only_with = "local_parameter_device",
         .only_values = {"gpu"}},
        {.name = "sharding",
         .kind = OptionKind::kSwitch,
         .fallback = "off",
         .choices = {},
         .summary = "split every variable over all servers instead of keeping it whole",
         .example = "on",
         .only_with = {},
         .only_values = {},
         .example_with = {{"servers", "2"}}}};
    options.push_back({.name = "staged_vars",
                       .kind = OptionKind::kSwitch,
                       .fallback = "off",
                       .choices = {},
                       .summary = "inside one machine: variables for the next step are read during "
                                  "this one, so that a step lacks the last update",
                       .example = "on"});
    options.push_back({.name = "barrier",
                       .kind = OptionKind::kSwitch,
                       .fallback = "off",
                       .choices = {},
                       .summary = "variables on servers are fetched when all have been updated "
                                  "(SyncReplicasOptimizer), not each as soon as it is",
                       .example = "on"});
    for (StrategyOption& option : remote_server_options("1")) options.push_back(std::move(option));
    return options;
  }
  void check(const JobSpec& job, const StrategyOptions& options) const override {
    const bool remote = job.group.machines > 1;
    for (const char* name : {"servers", "colocated", "sharding", "barrier"}) {
      if (remote || !options.was_set(name)) continue;
      throw UsageError(std::string("--set ") + name +
                       " has no effect inside one machine, which has no servers");
    }
    if (remote && options.on("sharding") && options.count("servers") == 1) {
      throw UsageError("--set sharding=on has no effect with one server; set servers");
    }
    for (const char* name : {"local_parameter_device", "placement", "staged_vars"}) {
      if (!remote || !options.was_set(name)) continue;
      throw UsageError(std::string("--set ") + name +
                       " has no effect across machines, where servers hold the variables");
    }
  }
  bool one_process_feeds_all() const override { return true; }
  int simulated_ranks(const JobSpec& job, const StrategyOptions&) const override {
    return local_ranks(job);
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    if (job.spec().group.machines > 1) return std::make_unique<OnServers>(job, options);
    const bool staged = options.on("staged_vars");
    if (options.is("local_parameter_device", "cpu")) {
      return variables_on_processors(job, staged);
    }
    return variables_on_devices(job, device_owners(job.spec(), options), staged);
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override {
    const Bytes all = job.profile.gradient_bytes();
    if (job.ranks() < 2) return {};
    if (job.group.machines > 1 || options.is("local_parameter_device", "cpu")) return all;
    // An owner sends its variables to the others, and the other gradients to their owners.
    std::vector<Bytes> sent(static_cast<std::size_t>(job.ranks()), all);
    const std::vector<int> owners = device_owners(job, options);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      sent[static_cast<std::size_t>(owners[i])] +=
          static_cast<double>(job.ranks() - 2) * job.profile.gradients[i].bytes;
    }
    return *std::ranges::max_element(sent);
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    if (job.ranks() < 2 || job.group.machines > 1) return {};
    if (options.is("local_parameter_device", "cpu")) return {};
    // The fullest owner holds the gradients that the others send it.
    return static_cast<double>(job.ranks() - 1) * largest_owned(job, device_owners(job, options));
  }
  // The optimizer's slots are where the variable is.
  Shares shares(const JobSpec& job, const StrategyOptions& options) const override {
    if (job.group.machines > 1 || options.is("local_parameter_device", "cpu")) {
      return {.optimizer_state = 0};
    }
    const Bytes owned = largest_owned(job, device_owners(job, options));
    return {.optimizer_state = owned / job.profile.gradient_bytes()};
  }
  std::vector<std::string> remarks(const JobSpec& job,
                                   const StrategyOptions& options) const override {
    if (options.on("staged_vars") && job.ranks() > 1) {
      return {"staged_vars=on: each step computes with weights that lack the last update"};
    }
    std::vector<std::string> out =
        remote_server_remarks(job, options.count("servers"), options.on("colocated"));
    if (job.group.machines < 2 || options.on("sharding")) return out;
    const auto& gradients = job.profile.gradients;
    const auto largest = std::ranges::max_element(gradients, {}, &GradientTensor::elements);
    const double share = largest->bytes / job.profile.gradient_bytes();
    if (share * options.count("servers") <= 1) return out;
    out.push_back("one server holds " + largest->name + " whole, " + significant(100 * share, 2) +
                  " % of all weights: its network card is the hot spot (--set sharding=on splits "
                  "it)");
    return out;
  }
};

}  // namespace

void register_parameter_server(StrategyRegistry& registry) {
  registry.add("parameter-server",
               "TensorFlow 1: each variable in one place, fetched by every device",
               [] { return std::make_unique<const ParameterServer>(); });
}

}  // namespace paceline
