// Which tensors to merge into one message so that an iteration ends earliest (MG-WFBP, Shi et al.,
// INFOCOM 2019; the rule is that of distributed_optimizer.py of HKBU-HPML/MG-WFBP).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/units.h"

namespace paceline {

// A gradient in the order in which the backward pass makes them final.
struct TimedGradient {
  std::uint32_t gradient = 0;
  Bytes bytes;
  Seconds ready;  // from the start of the backward pass
};

// Walks from the output to the input and merges a message into the next one if that is ready before
// this one has been sent, and either this one could not start by then or waiting costs less than
// the start-up `saved` of a message. `time` is what a message takes alone.
std::vector<std::vector<std::uint32_t>> merge_messages(const std::vector<TimedGradient>& gradients,
                                                       Seconds saved,
                                                       const std::function<Seconds(Bytes)>& time);

}  // namespace paceline
