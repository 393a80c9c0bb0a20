#include "answers/compare/closed_form.h"

#include <algorithm>

#include "core/error.h"

namespace paceline {

ClosedForm closed_form(const StepParts& step, std::span<const ReadyMessage> messages,
                       std::span<const Seconds> times) {
  PACELINE_ASSERT(messages.size() == times.size(), "every message has a time");
  ClosedForm out;
  Seconds end;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    end = std::max(end, messages[i].ready) + times[i];
    out.communication += times[i];
  }
  out.exposed = std::max(Seconds(0), end - step.backward);
  out.iteration =
      step.begin + step.micro_batches * (step.forward + step.backward) + out.exposed + step.update;
  return out;
}

std::vector<ReadyMessage> ready_messages(std::span<const Bytes> messages,
                                         std::span<const Seconds> ready,
                                         std::span<const Bytes> bytes) {
  constexpr double kHalfByte = 0.5;
  std::vector<ReadyMessage> out;
  Bytes sent;
  Bytes final_bytes;
  std::size_t next = 0;
  Seconds at;
  for (const Bytes message : messages) {
    sent += message;
    while (next < bytes.size() && final_bytes < sent - Bytes(kHalfByte)) {
      final_bytes += bytes[next];
      at = std::max(at, ready[next]);
      ++next;
    }
    out.push_back({message, at});
  }
  return out;
}

}  // namespace paceline
