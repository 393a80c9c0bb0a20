#include "answers/compare/message_series.h"

#include <algorithm>
#include <cmath>

#include "simulator/report/report_parts.h"

namespace paceline {
namespace {

const CollectiveCost& longest(const MessageCosts& costs) {
  return *std::ranges::max_element(costs, {}, &CollectiveCost::time);
}

// The message that takes longest limits a job that mostly waits.
void name_bottleneck(const ClosedForm& form, const MessageCosts& costs, Bottleneck& bottleneck) {
  if (costs.empty() || form.exposed <= 0.5 * form.iteration) return;
  bottleneck.resource = longest(costs).bottleneck;
  bottleneck.share = form.exposed / form.iteration;
  bottleneck.text = "the devices wait for communication";
}

}  // namespace

std::vector<Bytes> MessageSeries::sizes() const {
  std::vector<Bytes> out;
  for (const ReadyMessage& message : messages) out.push_back(message.bytes);
  return out;
}

ClosedForm MessageSeries::under(const MessageCosts& costs, const JobConditions& conditions) const {
  StepParts scaled = step;
  for (Seconds* part : {&scaled.begin, &scaled.forward, &scaled.backward, &scaled.update}) {
    *part *= conditions.computing;
  }
  std::vector<ReadyMessage> ready = messages;
  for (ReadyMessage& message : ready) message.ready *= conditions.computing;
  std::vector<Seconds> times;
  std::vector<double> slow_downs;
  for (const CollectiveCost& cost : costs) {
    times.push_back(conditions.communication * std::exp(conditions.messages * cost.sd) * cost.time);
    if (!contention) continue;
    slow_downs.push_back(
        slow_down(*contention, contention->demand(cost, conditions.contention), backward));
  }
  return closed_form(scaled, ready, times, slow_downs);
}

Report MessageSeries::report(Report r, const MessageCosts& costs, JobKnowledge known,
                             const std::string& narrowing) const {
  const ClosedForm form = under(costs, {});
  const double time = form.iteration.si();
  const Experiment& e = r.experiment;
  const auto devices = static_cast<double>(e.devices);
  const Estimate single = r.iteration_time_s;
  known.computing_low = std::log(single.p05 / single.median);
  known.computing_high = std::log(single.p95 / single.median);
  r.interval_parts = interval_parts(known, time, [&](const JobConditions& conditions) {
    return under(costs, conditions).iteration.si();
  });
  r.iteration_time_s = with_interval(time, r.interval_parts);
  if (const auto wide = wide_interval(r.iteration_time_s, r.interval_parts, narrowing)) {
    r.warnings.push_back(*wide);
  }
  if (r.throughput_tokens_per_s) {
    const double tokens = devices * r.throughput_tokens_per_s->median * single.median;
    r.throughput_tokens_per_s = rate_of(tokens, r.iteration_time_s);
  }
  r.throughput_samples_per_s =
      rate_of(static_cast<double>(e.samples_per_iteration()), r.iteration_time_s);
  r.scaling_efficiency = single.median / time;
  r.model_flops_utilization *= single.median / time;
  r.flops_per_iteration *= devices;
  r.least_flops_per_iteration *= devices;
  // What one device by itself does not do (packing messages, waiting for cycles) counts as exposed.
  r.breakdown.backward += form.slowed;
  r.breakdown.exposed_communication = std::max(Seconds(), form.iteration - r.breakdown.total());
  r.communication.total = form.communication;
  r.communication.exposed = form.exposed;
  r.communication.slowed = form.slowed;
  const double factor = bus_factor(CollectiveOp::kAllReduce, static_cast<int>(e.devices));
  for (const ReadyMessage& message : messages) {
    r.communication.bytes_per_device += std::llround(factor * message.bytes.si());
  }
  if (r.breakdown.exposed_communication > Seconds()) {
    const Origin& origin = longest(costs).origin;
    add_origin(r.origins, {"communication", origin.kind, origin.source,
                           r.breakdown.exposed_communication / r.breakdown.total()});
  }
  name_bottleneck(form, costs, r.bottleneck);
  r.warnings.emplace_back(
      "in closed form: agreed with the simulation to 1 % at the smallest cluster and at the "
      "largest on each network");
  return r;
}

std::optional<MessageSeries> message_series(const JobResult& without_messages) {
  const std::vector<Message>& sent = without_messages.communication.messages;
  if (sent.empty()) return std::nullopt;
  MessageSeries out;
  const Seconds start = sent.front().start;
  for (const Message& message : sent) {
    if (message.start < start) return std::nullopt;
    out.messages.push_back({Bytes(static_cast<double>(message.bytes)), message.start - start});
  }
  out.step.backward = out.messages.back().ready;
  out.step.begin = without_messages.iteration_time - out.step.backward;
  return out;
}

}  // namespace paceline
