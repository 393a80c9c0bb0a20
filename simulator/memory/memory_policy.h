// How one framework manages memory: what it keeps alive (a tape) and what its allocator makes of
// it. One file in simulator/memory/policies per framework family; usable for CPUs and GPUs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/registry.h"
#include "model/graph/workload_graph.h"
#include "model/plan/report.h"
#include "simulator/memory/allocator.h"
#include "simulator/memory/memory_setting.h"
#include "simulator/memory/memory_tape.h"

namespace paceline {

class MemoryPolicy {
 public:
  virtual ~MemoryPolicy() = default;
  virtual MemoryTape trace(const WorkloadGraph& graph, const MemorySetting& setting) const = 0;
  // All but context and capacity.
  virtual MemoryUse use(const MemoryTape& tape, const MemorySetting& setting) const = 0;
  // Policies of one family share rules and allocator: what one was wrong by says something of all.
  virtual std::string family() const = 0;
  // The documents and sources that the rules are taken from.
  virtual std::vector<std::string> sources() const = 0;
};

// What is alive at the peak, and as slack what `allocator` holds beyond it.
MemoryUse use_at_peak(const MemoryTape& tape, Allocator& allocator);
void set_categories(MemoryUse& use, const MemoryTape::Usage& usage);

using MemoryPolicyRegistry = Registry<MemoryPolicy>;
// Adds every policy of simulator/memory/policies (generated); several names may share one.
void register_all(MemoryPolicyRegistry& registry);
MemoryPolicyRegistry memory_policy_registry();

}  // namespace paceline
