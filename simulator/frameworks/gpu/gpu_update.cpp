#include "simulator/frameworks/gpu/gpu_update.h"

#include <algorithm>

#include "simulator/frameworks/gpu/gpu_layers.h"

namespace paceline::gpu {
namespace {

// A parameter tensor and where its gradient comes from.
struct OwnedTensor {
  std::size_t layer;
  std::size_t index;
  std::int64_t elements;
};

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

bool stores_narrow_weights(const Issuer& issuer) {
  return element_size(issuer.graph().matrix_precision()) < Bytes(4) && !issuer.casts_weights();
}

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

}  // namespace paceline::gpu
