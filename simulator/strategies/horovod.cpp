// Horovod: a background thread wakes in cycles, the ranks agree on the tensors that are final
// everywhere, and fuse them into messages of at most the threshold (horovod/common/operations.cc,
// controller.cc; defaults of horovod 0.20: 1 ms, 128 MiB).
#include <cmath>

#include "simulator/strategies/parts/grouped_run.h"
#include "simulator/strategies/parts/summed_messages.h"

namespace paceline {
namespace {

// The end of the cycle in which something that is final at `ready` is seen.
Seconds next_tick(Seconds ready, Seconds cycle) {
  return cycle > Seconds(0) ? std::ceil(ready / cycle) * cycle : ready;
}

// Ranks do the same at the same time, so what each cycle sees is known before the run.
std::vector<PlannedMessage> fuse(const ComputeProfile& profile, Seconds cycle, Bytes threshold) {
  std::vector<PlannedMessage> messages;
  const std::vector<Seconds> ready = profile.ready_times();
  Seconds tick(-1);
  Bytes bytes;
  for (const ComputeSegment& segment : profile.backward) {
    for (const std::uint32_t gradient : segment.gradients) {
      const Seconds seen = next_tick(ready[gradient], cycle);
      const Bytes size = profile.gradients[gradient].bytes;
      if (seen != tick || bytes + size > threshold) {
        messages.emplace_back();
        bytes = Bytes();
      }
      tick = seen;
      bytes += size;
      messages.back().gradients.push_back(gradient);
      messages.back().delay = seen - ready[gradient];
    }
  }
  return messages;
}

class Horovod : public SummedMessages {
 public:
  std::vector<StrategyOption> options() const override {
    std::vector<StrategyOption> options = reducer_options();
    options.push_back(negotiation_option());
    options.push_back(
        {.name = "cycle_time",
         .kind = OptionKind::kSeconds,
         .fallback = "1 ms",
         .choices = {},
         .summary = "between two looks for tensors that are final (HOROVOD_CYCLE_TIME)",
         .example = "5 ms"});
    options.push_back(
        {.name = "fusion_threshold",
         .kind = OptionKind::kBytes,
         .fallback = "128 MiB",
         .choices = {},
         .summary = "largest fused message; 0 B: no fusion (HOROVOD_FUSION_THRESHOLD)",
         .example = "2 MiB"});
    return options;
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    return std::make_unique<GroupedRun>(
        job, options,
        fuse(job.spec().profile, options.seconds("cycle_time"), options.bytes("fusion_threshold")),
        true);
  }
  Bytes buffers(const JobSpec& job, const StrategyOptions& options) const override {
    return options.bytes("fusion_threshold") + summation_buffers(job, options);
  }
};

}  // namespace

void register_horovod(StrategyRegistry& registry) {
  registry.add("horovod", "Horovod: cycles, negotiation, fused messages during backward",
               [] { return std::make_unique<const Horovod>(); });
}

}  // namespace paceline
