// TensorFlow's collective all-reduce: the gradients of an iteration in packs of a size, each summed
// when the last of its gradients is final; one pack of all unless set (group_by_size in
// tensorflow/python/distribute/cross_device_utils.py).
#include "simulator/strategies/parts/grouped_run.h"
#include "simulator/strategies/parts/summed_messages.h"

namespace paceline {
namespace {

std::vector<PlannedMessage> packs_of(const ComputeProfile& profile, Bytes limit) {
  std::vector<PlannedMessage> packs(1);
  Bytes bytes;
  for (const ComputeSegment& segment : profile.backward) {
    for (const std::uint32_t gradient : segment.gradients) {
      if (limit.si() > 0 && bytes >= limit) {
        packs.emplace_back();
        bytes = Bytes();
      }
      packs.back().gradients.push_back(gradient);
      bytes += profile.gradients[gradient].bytes;
    }
  }
  return packs;
}

class CollectiveAllReduce : public SummedMessages {
 public:
  std::vector<StrategyOption> options() const override {
    std::vector<StrategyOption> options = reducer_options();
    options.push_back({.name = "bytes_per_pack",
                       .kind = OptionKind::kBytes,
                       .fallback = "0 B",
                       .choices = {},
                       .summary = "a pack closes when it holds this much; 0 B: one pack",
                       .example = "4 MiB"});
    return options;
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<GroupedRun>(
        job, options, packs_of(job.spec().profile, options.bytes("bytes_per_pack")), true);
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    return job.profile.gradient_bytes() + summation_buffers(job, options);
  }
};

}  // namespace

void register_collective_all_reduce(StrategyRegistry& registry) {
  registry.add("collective-all-reduce", "TensorFlow's collective all-reduce in packs",
               [] { return std::make_unique<const CollectiveAllReduce>(); });
}

}  // namespace paceline
