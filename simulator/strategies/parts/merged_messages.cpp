#include "simulator/strategies/parts/merged_messages.h"

#include <algorithm>

namespace paceline {

std::vector<std::vector<std::uint32_t>> merge_messages(const std::vector<TimedGradient>& gradients,
                                                       Seconds saved,
                                                       const std::function<Seconds(Bytes)>& time) {
  std::vector<std::vector<std::uint32_t>> messages;
  Seconds free;  // when the messages before have been sent
  std::vector<std::uint32_t> open;
  Bytes bytes;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    open.push_back(gradients[i].gradient);
    bytes += gradients[i].bytes;
    const Seconds start = std::max(free, gradients[i].ready);
    const Seconds end = start + time(bytes);
    const bool last = i + 1 == gradients.size();
    const Seconds next = last ? Seconds() : gradients[i + 1].ready;
    const bool merges = !last && next < end && (start > next || next - start < saved);
    if (merges) continue;
    messages.push_back(std::move(open));
    open.clear();
    bytes = Bytes();
    free = end;
  }
  return messages;
}

}  // namespace paceline
