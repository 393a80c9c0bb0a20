#include "simulator/strategies/parts/grouped_run.h"

namespace paceline {

GroupedRun::GroupedRun(JobBuilder& job, const StrategyOptions& options,
                       std::vector<PlannedMessage> messages, bool packs)
    : UpdateAfterAll(job),
      summation_(job, options),
      messages_(std::move(messages)),
      message_of_(job.gradients().size()),
      packs_(packs) {
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    for (const std::uint32_t gradient : messages_[m].gradients) message_of_.at(gradient) = m;
    missing_.push_back(messages_[m].gradients.size());
  }
}

void GroupedRun::gradient_ready(std::uint32_t gradient) {
  const std::size_t m = message_of_[gradient];
  if (--missing_[m] > 0) return;
  missing_[m] = messages_[m].gradients.size();
  send(messages_[m]);
}

void GroupedRun::send(const PlannedMessage& message) {
  Bytes bytes;
  for (const std::uint32_t gradient : message.gradients) bytes += job().gradients()[gradient].bytes;
  TaskId start = job().latest(0);
  if (message.delay > Seconds(0) && job().spec().ranks() > 1) {
    start = job().spend(message.delay, {&start, 1}, kNoResource, SpanKind::kWait);
  }
  const auto tensors = static_cast<double>(message.gradients.size());
  const bool packs = packs_ && message.gradients.size() > 1 && job().spec().ranks() > 1;
  const ResourceId copies = job().queue(0, "pack");
  if (packs) start = job().kernel(0, bytes, bytes, {&start, 1}, copies, tensors);
  TaskId done = summation_.sum(bytes, {&start, 1}, true);
  if (packs) done = job().kernel(0, bytes, bytes, {&done, 1}, job().queue(0, "unpack"), tensors);
  arrives(done);
}

}  // namespace paceline
