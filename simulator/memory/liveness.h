// Exact liveness: runs the operations of one training iteration in the order in which a framework
// issues them (forward, the reverse for backward, update) and writes down every buffer that comes
// and goes. Memory is counted by references, as the frameworks do: a tensor goes when its last
// reader has run and nothing keeps it for backward.
#pragma once

#include "simulator/memory/memory_rules.h"
#include "simulator/memory/memory_tape.h"

namespace paceline {

// The model's state and the iteration's input are allocated first and stay. Operations that the
// graph marks as recomputed give their results back after forward and run again in backward, as
// recomputation_schedule() says.
MemoryTape trace_liveness(const MemoryRules& rules);

// The same where library calls share one workspace that stays: as large as the largest asks for.
MemoryTape trace_with_workspace(const MemoryRules& rules);

// The part that never goes: weights and running statistics, their gradients if they are stored,
// optimizer state, buffers of the strategy. What rests in this step has all of it.
void allocate_model_state(const MemoryRules& rules, MemoryTape& tape);

}  // namespace paceline
