// Merged-gradient wait-free backpropagation: like wfbp, with tensors merged into messages so that
// start-up costs are paid less often without waiting longer than they are worth.
#include <algorithm>

#include "simulator/strategies/parts/grouped_run.h"
#include "simulator/strategies/parts/merged_messages.h"
#include "simulator/strategies/parts/summed_messages.h"

namespace paceline {
namespace {

std::vector<TimedGradient> in_order_of_backward(const ComputeProfile& profile) {
  std::vector<TimedGradient> out;
  const std::vector<Seconds> ready = profile.ready_times();
  for (const ComputeSegment& segment : profile.backward) {
    for (const std::uint32_t gradient : segment.gradients) {
      out.push_back({gradient, profile.gradients[gradient].bytes, ready[gradient]});
    }
  }
  return out;
}

// Start-up and time per byte of the law through two sizes, as the authors fit it.
struct AffineLaw {
  Seconds start_up;
  Seconds per_byte;
};
AffineLaw through(Summation& summation, Bytes small, Bytes large) {
  const Seconds rise = summation.time(large) - summation.time(small);
  AffineLaw law;
  if (large > small) law.per_byte = Seconds(rise.si() / (large - small).si());
  law.start_up = std::max(Seconds(), summation.time(small) - small.si() * law.per_byte);
  return law;
}

class MgWfbp : public SummedMessages {
 public:
  std::vector<StrategyOption> options() const override {
    std::vector<StrategyOption> options = SummedMessages::options();
    options.push_back(negotiation_option());
    options.push_back({.name = "start_up",
                       .kind = OptionKind::kSeconds,
                       .fallback = "",
                       .choices = {},
                       .summary =
                           "of a message, as the merging rule believes it; that of the affine "
                           "law through the mean tensor and the whole model unless set",
                       .example = "4 ms"});
    return options;
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    Summation summation(job, options);
    const Bytes all = job.spec().profile.gradient_bytes();
    const Bytes mean = all / static_cast<double>(job.gradients().size());
    const AffineLaw law = through(summation, mean, all);
    const Seconds saved = options.was_set("start_up") ? options.seconds("start_up") : law.start_up;
    const auto time = [&](Bytes bytes) { return saved + bytes.si() * law.per_byte; };
    std::vector<PlannedMessage> messages;
    for (std::vector<std::uint32_t>& gradients :
         merge_messages(in_order_of_backward(job.spec().profile), saved, time)) {
      messages.push_back({std::move(gradients), Seconds()});
    }
    return std::make_unique<GroupedRun>(job, options, std::move(messages), true);
  }
};

}  // namespace

void register_mg_wfbp(StrategyRegistry& registry) {
  registry.add("mg-wfbp", "wait-free backpropagation with merged messages",
               [] { return std::make_unique<const MgWfbp>(); });
}

}  // namespace paceline
