// Writes down the calls of one training iteration on a GPU: the list they go to, the operands they
// touch and what the host pays for each. Which calls a layer makes is in gpu_operations.h, the
// whole iteration in gpu_iteration.h. Common to all frameworks; what differs between them is data
// (record/gpu_record.h). docs/models/gpu-execution.md explains it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph/work.h"
#include "model/graph/workload_graph.h"
#include "simulator/frameworks/framework.h"
#include "simulator/frameworks/pytorch/reuse_clock.h"
#include "simulator/frameworks/record/gpu_record.h"

namespace paceline::gpu {

using pytorch::Operand;
using pytorch::ReuseClock;

// Traffic of a stream kernel in bytes.
struct Traffic {
  Bytes read;
  Bytes written;
};

class Issuer {
 public:
  Issuer(const WorkloadGraph& graph, const GpuRecord& record, const FrameworkSettings& settings);

  const WorkloadGraph& graph() const { return graph_; }
  const GpuRecord& record() const { return record_; }
  const std::string& setting(const std::string& name) const { return settings_.at(name); }

  // The following calls go to this layer and phase.
  void enter(std::vector<IssuedCall>& calls, Phase phase, std::size_t layer);
  bool is_backward() const { return phase_ == Phase::kBackward; }
  // Starts another iteration: what the last one touched is remembered.
  void begin_iteration();

  // Whether elementwise operations are compiled (--set compile=on).
  bool compiles() const { return record_.compiles && setting("compile") == "on"; }

  // Host cost of a layer of this kind in the present pass, `times` over.
  void host(std::string_view layer_kind, double times = 1);
  void host_calls(double calls);
  void kernel(std::string implementation, const KernelShape& shape, Precision precision,
              std::vector<Operand> operands, std::int64_t repeat = 1);
  void stream(std::string implementation, std::int64_t elements, Traffic traffic,
              std::vector<Operand> operands, StreamKind kind = StreamKind::kElementwise,
              std::int64_t row = 0);
  // The issuing thread copies so much before it goes on.
  void host_copy(const InputCopy& copy, Bytes bytes);
  // The issuing thread waits for the device before the next call.
  void wait_for_device();

  Operand activation(TensorId tensor) const;
  Operand gradient(TensorId tensor) const;
  Operand parameter(std::size_t index, std::int64_t elements) const;  // of the present layer
  Operand parameter_gradient(std::size_t index, std::int64_t elements) const;

  // Arithmetic of matrix operations; fp8 exists for some linear layers only, others take 16 bits.
  Precision matrix_precision(bool in_fp8 = false) const;
  // Whether weights are kept in fp32 and converted for every use (autocast).
  bool casts_weights() const;
  // Whether the products of this layer run in fp8: of linear layers whose input and weights have
  // rows in multiples of 8 and columns of 16. Source: Transformer Engine, pytorch/utils.py,
  // assert_dim_for_fp8_exec; users leave other layers in 16 bits.
  bool runs_in_fp8(const Op& op) const;

  // Converts the parameters of the present layer to 16 bits (forward) or their gradients back to
  // 32 (backward), where the precision asks for it.
  void cast_parameters(const Op& op);
  // Writes an operand of fp8 products in 8 bits and, for those of the gradients, once more
  // transposed: fp8 products read both operands along K. Weights are read as they are kept, without
  // a copy in 16 bits between. Source: Transformer Engine, pytorch/module/linear.py,
  // fp8_cast_transpose_fused.
  void quantize(const Op& op, TensorId tensor, const Operand& operand);
  void quantize_weights(const Op& op);

  // Backward has computed a gradient of `tensor`; it is added to one that another consumer has
  // delivered before.
  void deliver_gradient(TensorId tensor);
  // Backward has computed the gradients of all parameters of `op`.
  void deliver_parameters(const Op& op);

  bool needs_gradient(TensorId tensor) const { return graph_.tensor(tensor).needs_gradient; }
  Bytes bytes(TensorId tensor) const { return graph_.tensor(tensor).bytes(); }
  std::int64_t elements(TensorId tensor) const { return graph_.shape(tensor).elements(); }
  std::int64_t last_dimension(TensorId tensor) const { return graph_.shape(tensor).dims.back(); }
  // The first of all slices taken from the same tensor, which backward reaches last.
  bool is_first_slice(const Op& op) const;

 private:
  bool uses_fp8() const { return graph_.matrix_precision() == Precision::kFp8; }
  std::size_t weights_in_fp8(const Op& op) const;
  void write_in_fp8(std::int64_t elements, Bytes read, const Operand& operand);
  void add_to_gradients(const Op& op);
  Operand of_layer(Operand::Kind kind, std::size_t index, std::int64_t elements) const;

  const WorkloadGraph& graph_;
  const GpuRecord& record_;
  const FrameworkSettings& settings_;
  std::vector<std::uint32_t> first_gradient_;  // of each layer; none where it has no parameters
  std::vector<IssuedCall>* calls_ = nullptr;
  Phase phase_ = Phase::kForward;
  std::uint32_t layer_ = 0;
  bool waits_ = false;
  ReuseClock reuse_;
  std::set<TensorId> delivered_;
};

}  // namespace paceline::gpu
