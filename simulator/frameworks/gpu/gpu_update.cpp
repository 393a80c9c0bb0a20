// The optimizer on a GPU: passes over all parameter tensors, many tensors in one kernel ("foreach",
// "fused") or each by itself ("loop").
#include <algorithm>

#include "model/graph/rewrite/recomputation.h"
#include "simulator/frameworks/gpu/gpu_issuer.h"
#include "simulator/frameworks/gpu/gpu_layers.h"

namespace paceline::gpu {
namespace {

// A parameter tensor and where its gradient comes from.
struct OwnedTensor {
  std::size_t layer;
  std::size_t index;
  std::int64_t elements;
};

// Weights and gradients of 16 bits, fp32 ones kept beside them for the optimizer.
bool stores_narrow_weights(const Issuer& issuer) {
  return element_size(issuer.graph().matrix_precision()) < Bytes(4) && !issuer.casts_weights();
}

// Those that the device updates.
std::vector<OwnedTensor> trainable_tensors(const Issuer& issuer) {
  const WorkloadGraph& graph = issuer.graph();
  std::vector<OwnedTensor> out;
  for (std::size_t layer = 0; layer < graph.ops().size(); ++layer) {
    const Op& op = graph.ops()[layer];
    if (!op.trainable || is_host_embedding(issuer, op)) continue;
    const std::vector<std::int64_t> sizes = parameter_sizes(op);
    for (std::size_t index = 0; index < sizes.size(); ++index) {
      out.push_back({layer, index, sizes[index]});
    }
  }
  return out;
}

Traffic traffic_of(const UpdatePass& pass, double elements) {
  const Bytes tensor(4 * elements);
  return {pass.read * tensor, pass.written * tensor};
}

// One pass over all tensors in as few kernels as their number allows.
void joint_pass(Issuer& issuer, const std::string& name, const std::vector<OwnedTensor>& tensors,
                const UpdatePass& pass) {
  std::int64_t elements = 0;
  for (const OwnedTensor& tensor : tensors) elements += tensor.elements;
  const std::int64_t most = issuer.record().tensors_per_update_kernel;
  const std::int64_t kernels = (static_cast<std::int64_t>(tensors.size()) + most - 1) / most;
  const double each = static_cast<double>(elements) / static_cast<double>(kernels);
  const Traffic traffic = traffic_of(pass, each);
  issuer.kernel(name,
                StreamShape{.elements = elements / kernels,
                            .read = traffic.read,
                            .written = traffic.written,
                            .kind = StreamKind::kOptimizer},
                Precision::kFp32, {}, kernels);
}

void update_together(Issuer& issuer, const std::vector<OwnedTensor>& tensors,
                     const std::string& optimizer, const std::vector<UpdatePass>& passes) {
  issuer.host_calls(issuer.record().update_calls +
                    issuer.record().update_calls_per_tensor * static_cast<double>(tensors.size()));
  for (const UpdatePass& pass : passes) joint_pass(issuer, optimizer, tensors, pass);
}

void update_one_by_one(Issuer& issuer, std::vector<IssuedCall>& calls,
                       const std::vector<OwnedTensor>& tensors, const std::string& optimizer,
                       const std::vector<UpdatePass>& passes) {
  for (const OwnedTensor& tensor : tensors) {
    issuer.enter(calls, Phase::kOptimizer, tensor.layer);
    for (const UpdatePass& pass : passes) {
      issuer.host("pointwise");
      issuer.stream(optimizer, tensor.elements,
                    traffic_of(pass, static_cast<double>(tensor.elements)),
                    {issuer.parameter(tensor.index, tensor.elements),
                     issuer.parameter_gradient(tensor.index, tensor.elements)});
    }
  }
}

}  // namespace

void issue_zero_gradients(Issuer& issuer, std::vector<IssuedCall>& calls) {
  const GpuRecord& record = issuer.record();
  if (!record.clears_gradients && !record.execution.accumulates_gradients) return;
  for (const OwnedTensor& tensor : trainable_tensors(issuer)) {
    issuer.enter(calls, Phase::kOptimizer, tensor.layer);
    issuer.host("parameter");
    issuer.stream("fill", tensor.elements, traffic_of({0, 1}, static_cast<double>(tensor.elements)),
                  {issuer.parameter_gradient(tensor.index, tensor.elements)});
  }
}

void issue_update(Issuer& issuer, std::vector<IssuedCall>& calls) {
  const std::vector<OwnedTensor> tensors = trainable_tensors(issuer);
  if (tensors.empty()) return;
  issuer.enter(calls, Phase::kOptimizer, tensors.back().layer);
  const bool scales_loss = issuer.graph().matrix_precision() == Precision::kFp16;
  if (scales_loss) {
    // fp16 gradients are scaled against underflow: divide again, and look whether one overflowed,
    // which the host must know before it updates.
    joint_pass(issuer, "unscale", tensors, {1, 1});
    issuer.wait_for_device();
  }
  const std::string& optimizer = issuer.setting("optimizer");
  const std::string& style = issuer.setting("optimizer_style");
  const auto& passes = issuer.record().update_passes.at(optimizer).at(style);
  if (style == "loop") {
    update_one_by_one(issuer, calls, tensors, optimizer, passes);
  } else {
    update_together(issuer, tensors, optimizer, passes);
  }
  if (stores_narrow_weights(issuer)) {
    joint_pass(issuer, "cast", tensors, {1, 0.5});  // fp32 master weights to those in use
  }
}

void issue_input_copy(Issuer& issuer, std::vector<IssuedCall>& calls) {
  const auto& input = issuer.record().execution.input;
  if (!input) return;
  Bytes bytes;
  for (const TensorId id : issuer.graph().inputs()) bytes += issuer.bytes(id);
  calls.push_back(
      {.phase = Phase::kForward, .kernel = {}, .host_time = input->call + bytes / input->rate});
}

namespace {

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
