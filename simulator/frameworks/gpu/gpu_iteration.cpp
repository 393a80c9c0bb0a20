#include "simulator/frameworks/gpu/gpu_iteration.h"

#include "model/graph/rewrite/recomputation.h"
#include "simulator/frameworks/gpu/gpu_operations.h"
#include "simulator/frameworks/gpu/gpu_update.h"

namespace paceline::gpu {
namespace {

// Copies the batch, where the issuing thread does that itself.
void issue_input_copy(Issuer& issuer, std::vector<IssuedCall>& calls) {
  const auto& input = issuer.record().execution.input;
  if (!input) return;
  Bytes bytes;
  for (const TensorId id : issuer.graph().inputs()) bytes += issuer.bytes(id);
  calls.push_back(
      {.phase = Phase::kForward, .kernel = {}, .host_time = input->call + bytes / input->rate});
}

// The operations of an iteration one by one, or, where a group is compiled, at its last member.
class Operations {
 public:
  explicit Operations(const WorkloadGraph& graph)
      : graph_(graph), groups_(fused_groups(graph)), group_of_(graph.ops().size()) {
    for (const FusedGroup& group : groups_) {
      for (const std::size_t member : group.members) group_of_[member] = &group;
    }
  }

  void forward(Issuer& issuer, std::size_t layer) const {
    const FusedGroup* group = group_of_[layer];
    if (group == nullptr) {
      issue_forward(issuer, graph_.ops()[layer]);
    } else if (group->members.back() == layer) {
      issue_fused_forward(issuer, *group);
    }
  }
  void backward(Issuer& issuer, std::vector<IssuedCall>& calls, std::size_t layer) const {
    const FusedGroup* group = group_of_[layer];
    if (group == nullptr) {
      issue_backward(issuer, graph_.ops()[layer]);
    } else if (group->members.back() == layer) {
      issue_fused_backward(issuer, calls, *group);
    }
  }

 private:
  const WorkloadGraph& graph_;
  std::vector<FusedGroup> groups_;
  std::vector<const FusedGroup*> group_of_;
};

}  // namespace

IssuedIteration issue_iteration(const WorkloadGraph& graph, const GpuRecord& record,
                                const FrameworkSettings& settings) {
  Issuer issuer(graph, record, settings);
  const std::vector<Op>& ops = graph.ops();
  const bool backward = settings.at("phases") != "forward";
  const RecomputationSchedule schedule = recomputation_schedule(graph);
  const Operations operations(graph);
  IssuedIteration out;
  for (int round = 0; round < 2; ++round) {
    out = {};
    issuer.begin_iteration();
    for (const Op& op : ops) out.layers.push_back(op.name);
    out.gradients = gradient_tensors(graph, Bytes(stores_narrow_weights(issuer) ? 2 : 4));
    issue_input_copy(issuer, out.begin);
    if (backward) issue_zero_gradients(issuer, out.begin);
    for (std::size_t layer = 0; layer < ops.size(); ++layer) {
      issuer.enter(out.micro_batch, Phase::kForward, layer);
      operations.forward(issuer, layer);
    }
    for (std::size_t layer = ops.size(); backward && layer-- > 0;) {
      issuer.enter(out.micro_batch, Phase::kBackward, layer);
      if (layer + 1 == ops.size()) issuer.host("iteration");
      for (const std::size_t again : schedule.before_backward[layer]) {
        issuer.enter(out.micro_batch, Phase::kForward, again);
        operations.forward(issuer, again);
      }
      issuer.enter(out.micro_batch, Phase::kBackward, layer);
      operations.backward(issuer, out.micro_batch, layer);
    }
    if (settings.at("phases") == "training") issue_update(issuer, out.update);
  }
  return out;
}

}  // namespace paceline::gpu
