// From what a framework issues to a costed plan: every distinct kernel is priced once.
#pragma once

#include "model/cost/cost_model.h"
#include "model/plan/iteration_plan.h"
#include "simulator/frameworks/framework.h"
#include "simulator/lower/host_costs.h"

namespace paceline {

// Throws MissingParameter, naming implementation and command, if a kernel cannot be priced;
// InputError if its price is no duration, UsageError if the iteration is longer than 11 days.
IterationPlan plan_iteration(const IssuedIteration& issued, const CostModel& costs,
                             const HostCosts& host, const ExecutionContext& context,
                             std::int64_t micro_batches = 1);

// The same iteration captured in a graph: one launch instead of every dispatch. What the host would
// decide in between is decided on the device.
void replay_as_graph(IterationPlan& plan, Seconds launch);

}  // namespace paceline
