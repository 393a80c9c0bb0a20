// A pass round a ring, shared by the algorithms that are made of rings.
#pragma once

#include <span>
#include <vector>

#include "simulator/collectives/emitter.h"

namespace paceline {

// members.size() - 1 steps in which each member sends `piece` to the next; a member sends when it
// has received the previous step's piece and sent its own. `after` and the result are by position
// in `members`. `channels`: share of the way, as in CollectiveNetwork.
inline std::vector<TaskId> emit_ring_pass(std::span<const int> members, Bytes piece, int channels,
                                          std::span<const TaskId> after,
                                          CollectiveEmitter& emitter) {
  const std::size_t n = members.size();
  std::vector<TaskId> received(after.begin(), after.end());
  std::vector<TaskId> sent(after.begin(), after.end());
  for (std::size_t step = 1; step < n; ++step) {
    std::vector<TaskId> messages(n);
    for (std::size_t i = 0; i < n; ++i) {
      messages[i] =
          emitter.send(members[i], members[(i + 1) % n], piece, {received[i], sent[i]}, channels);
    }
    sent = messages;
    for (std::size_t i = 0; i < n; ++i) received[(i + 1) % n] = messages[i];
  }
  for (std::size_t i = 0; i < n && n > 1; ++i) {
    const TaskId both[] = {received[i], sent[i]};
    received[i] = emitter.join(both);
  }
  return received;
}

}  // namespace paceline
