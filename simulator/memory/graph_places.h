// Where executors of a static graph (TensorFlow 1, MXNet) put what elementwise operations make:
// over an operand that nobody else needs. Policies add what is particular to theirs.
#pragma once

#include "simulator/memory/memory_rules.h"

namespace paceline {

// Of the output.
struct GraphOutputs {
  Place operator()(const Activate&) const { return Place::kOverwrite; }
  Place operator()(const Add&) const { return Place::kOverwrite; }
  Place operator()(const Multiply&) const { return Place::kOverwrite; }
  Place operator()(const Scale&) const { return Place::kOverwrite; }
  Place operator()(const Dropout& dropout) const {
    return dropout.probability > 0 ? Place::kOverwrite : Place::kSame;
  }
  Place operator()(const Softmax&) const { return Place::kOverwrite; }
  Place operator()(const Reshape&) const { return Place::kSame; }
  template <typename Other>
  Place operator()(const Other&) const {
    return Place::kNew;
  }
};

// Of the gradient of an input, which has as many elements as the output or is broadcast.
struct GraphGradients {
  bool same_size;
  Place operator()(const Activate&) const { return Place::kOverwrite; }
  Place operator()(const Add&) const { return same_size ? Place::kSame : Place::kNew; }
  Place operator()(const Scale&) const { return Place::kOverwrite; }
  Place operator()(const Dropout&) const { return Place::kOverwrite; }
  Place operator()(const Reshape&) const { return Place::kSame; }
  template <typename Other>
  Place operator()(const Other&) const {
    return Place::kNew;
  }
};

}  // namespace paceline
