// What one framework's implementation of each operation keeps, overwrites and needs as scratch.
// Policies (simulator/memory/policies) derive from this; liveness.h walks the graph by it.
#pragma once

#include <cstdint>
#include <vector>

#include "model/graph/work.h"
#include "model/graph/workload_graph.h"
#include "simulator/memory/memory_setting.h"

namespace paceline {

// Where a result goes: new memory; the very memory of what it is made from (views, operations that
// the network itself asks to run in place); or that memory if nothing else needs it any more.
enum class Place { kNew, kSame, kOverwrite };

// Scratch of one pass: `before` is gone when the result is allocated, `beside` is not.
struct Scratch {
  std::int64_t before = 0;
  std::int64_t beside = 0;
};

class MemoryRules {
 public:
  MemoryRules(const WorkloadGraph& graph, const MemorySetting& setting)
      : graph_(graph), setting_(setting) {}
  virtual ~MemoryRules() = default;

  const WorkloadGraph& graph() const { return graph_; }
  const MemorySetting& setting() const { return setting_; }

  // Forward: what the operation keeps for its gradient, and where its output goes.
  virtual std::vector<SavedBuffer> kept(const Op& op) const = 0;
  virtual Place output(const Op& op) const = 0;
  virtual Scratch forward_scratch(const Op&) const { return {}; }

  // Backward: where the gradient of one input goes, and scratch of dgrad and wgrad.
  virtual Place input_gradient(const Op& op, std::size_t input) const = 0;
  virtual Scratch backward_scratch(const Op&, Pass) const { return {}; }
  // Whether `contributions` gradients of one tensor are all kept and then added up, rather than
  // added one by one as they come.
  virtual bool sums_at_once(std::int64_t contributions) const {
    (void)contributions;
    return false;
  }
  // Whether the gradients of weights are computed beside the stored ones and then added.
  virtual bool separate_weight_gradients() const { return false; }

  // Whether gradients of weights are stored from one iteration to the next; else they go as soon as
  // the update of their weight has run.
  virtual bool stores_weight_gradients() const { return true; }
  // Scratch of the optimizer's step.
  virtual std::int64_t update_scratch() const { return 0; }

  // State besides parameters that lives as long as the network: running statistics.
  virtual std::int64_t persistent_state(const Op& op) const;

  // Conveniences.
  bool runs_backward() const { return setting_.phases != TracedPhases::kForward; }
  bool runs_update() const { return setting_.phases == TracedPhases::kTraining; }
  // False for what inference leaves out: the loss.
  bool runs(const Op& op) const;
  std::int64_t bytes(TensorId id) const {
    return static_cast<std::int64_t>(graph_.tensor(id).bytes().si());
  }
  std::int64_t elements(TensorId id) const { return graph_.shape(id).elements(); }
  // The library calls of one pass of a convolution or recurrent layer and the scratch they take.
  std::int64_t library_workspace(const Op& op, Pass pass) const;

 private:
  const WorkloadGraph& graph_;
  const MemorySetting& setting_;
};

}  // namespace paceline
