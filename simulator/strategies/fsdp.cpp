// PyTorch FullyShardedDataParallel (torch/distributed/fsdp): a unit's weights are gathered before
// its forward and backward pass and freed after; its gradients are scattered as sums. All messages
// share one stream in the order of issue, and at most two whole units are held.
#include "simulator/strategies/parts/sharded.h"

namespace paceline {
namespace {

Sharding sharding_of(const StrategyOptions& options) {
  Sharding out;
  out.weights = out.gradients = true;
  out.keep_after_forward = options.is("sharding", "grad");
  out.hybrid = options.is("sharding", "hybrid");
  out.prefetch = options.on("prefetch");
  out.offload = options.on("offload_optimizer");
  out.wrap = options.text("wrap");
  if (!options.is("reduce_dtype", "parameter")) {
    out.reduced_element = element_size(parse_precision(options.text("reduce_dtype")));
  }
  return out;
}

class Fsdp : public Strategy {
 public:
  std::vector<StrategyOption> options() const override {
    return {
        {.name = "sharding",
         .kind = OptionKind::kChoice,
         .fallback = "full",
         .choices = {"full", "grad", "hybrid"},
         .summary = "full: weights are gathered twice; grad: kept after forward; hybrid: shards "
                    "inside a machine, all-reduce between machines",
         .example = "grad"},
        {.name = "wrap",
         .kind = OptionKind::kChoice,
         .fallback = "block",
         .choices = {"block", "layer"},
         .summary = "units: layers of one module together, or each layer",
         .example = "layer"},
        {.name = "reduce_dtype",
         .kind = OptionKind::kChoice,
         .fallback = "parameter",
         .choices = {"parameter", "fp32", "bf16", "fp16"},
         .summary =
             "what gradients are cast to before they are summed; parameter: not at all, which "
             "is PyTorch's default; torchtitan's is fp32",
         .example = "bf16"},
        {.name = "prefetch",
         .kind = OptionKind::kSwitch,
         .fallback = "on",
         .choices = {},
         .summary = "gather the next unit while one computes",
         .example = "off"},
        {.name = "offload_optimizer",
         .kind = OptionKind::kSwitch,
         .fallback = "off",
         .choices = {},
         .summary = "update on the processor: gradients go to host memory, weights come back",
         .example = "on"}};
  }
  bool synchronizes_every_micro_batch() const override { return true; }
  void check(const JobSpec& job, const StrategyOptions& options) const override {
    if (!options.is("sharding", "hybrid") || job.group.machines > 1) return;
    throw UsageError("--set sharding=hybrid has no effect inside one machine; use full");
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return start_sharded(job, sharding_of(options));
  }
  Bytes bytes_sent(const JobSpec& job, const StrategyOptions& options) const override {
    return sharded_bytes_sent(job, sharding_of(options));
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    return job.ranks() > 1 ? gathered_bytes(job, sharding_of(options)) : Bytes();
  }
  Shares shares(const JobSpec& job, const StrategyOptions& options) const override {
    const double one = 1.0 / shard_count(job, sharding_of(options));
    return {one, one, options.on("offload_optimizer") ? 0.0 : one, true};
  }
  // MixedPrecision (FSDP1), MixedPrecisionPolicy (FSDP2): parameters are cast when they are
  // gathered and freed with their unit; there is no autocast, whose 16-bit copies would outlive the
  // unit because backward keeps them.
  std::map<std::string, std::string> settings_at_16_bits() const override {
    return {{"mixed", "uniform"}};
  }
};

}  // namespace

void register_fsdp(StrategyRegistry& registry) {
  registry.add("fsdp", "PyTorch FSDP: sharded weights, gathered unit by unit",
               [] { return std::make_unique<const Fsdp>(); });
}

}  // namespace paceline
