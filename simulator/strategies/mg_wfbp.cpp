// Merged-gradient wait-free backpropagation: like wfbp, with tensors merged into messages so that
// start-up costs are paid less often without waiting longer than they are worth.
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

class MgWfbp : public SummedMessages {
 public:
  std::vector<StrategyOption> options() const override {
    std::vector<StrategyOption> options = SummedMessages::options();
    options.push_back({.name = "start_up",
                       .kind = OptionKind::kSeconds,
                       .fallback = "",
                       .choices = {},
                       .summary = "of a message, as the merging rule believes it; what the smallest "
                                  "message costs unless set",
                       .example = "4 ms"});
    return options;
  }
  std::unique_ptr<Aggregation> start(JobBuilder& job,
                                     const StrategyOptions& options) const override {
    Summation summation(job, options);
    const Seconds smallest = summation.time(Bytes(4));
    const Seconds saved = options.was_set("start_up") ? options.seconds("start_up") : smallest;
    const auto time = [&](Bytes bytes) { return summation.time(bytes) - smallest + saved; };
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
