// A data-parallel iteration in closed form, for sweeps of many clusters: what one device computes
// is costed once, and gradients are summed by collectives that run one after another.
//
//   start of message i = max(ready_i, end of message i-1),  end_i = start_i + time_i
//   iteration = begin + m (F + B) + max(0, end_last - B) + update
//
// A message that slows kernels beside it by a factor s lets the backward pass advance by 1/s a
// second while it is under way, so that what is ready later, and B itself, come later. All that
// with m micro-batches of which the last synchronizes, F and B the forward and backward pass of
// one, and times counted from the start of the last backward pass (wait-free backpropagation with a
// barrier: Zhang et al., Poseidon, ATC 2017; equation 5 of Shi et al., DAG model, 2018).
#pragma once

#include <span>
#include <vector>

#include "core/units.h"

namespace paceline {

struct ReadyMessage {
  Bytes bytes;
  Seconds ready;  // from the start of the backward pass
};

struct StepParts {
  Seconds begin;
  Seconds forward;   // of one micro-batch
  Seconds backward;  // of one micro-batch
  Seconds update;
  double micro_batches = 1;
};

struct ClosedForm {
  Seconds iteration;
  Seconds communication;  // sum over messages
  Seconds exposed;        // of it, after the end of the backward pass
  Seconds slowed;         // how much longer the backward pass takes beside messages
};

// `times` of the messages when they run alone, in their order, and how many times as long kernels
// take beside each; none: as long as alone.
ClosedForm closed_form(const StepParts& step, std::span<const ReadyMessage> messages,
                       std::span<const Seconds> times, std::span<const double> slow_downs = {});

}  // namespace paceline
